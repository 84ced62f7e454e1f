import { signal } from '@preact/signals';

/** Whether the last request was answered. */
export const isOffline = signal(!navigator.onLine);

/** When the interface answered last, by the clock of this device. */
export const answeredAt = signal<number | undefined>(undefined);

/** How far the clock of the interface is ahead of this device's: its answers say their time. */
let ahead = 0;

export function noteAnswer(response: Response): void {
  const date = Date.parse(response.headers.get('Date') ?? '');
  if (!Number.isNaN(date)) ahead = date - Date.now();
  answeredAt.value = Date.now();
  isOffline.value = false;
}

/** The time at the interface. */
export function now(): number {
  return Date.now() + ahead;
}
