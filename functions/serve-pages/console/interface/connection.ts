import { signal } from '@preact/signals';

/** Whether the device has no network, or the last request got no answer. */
export const isOffline = signal(!navigator.onLine);
window.addEventListener('offline', () => {
  isOffline.value = true;
});

/** When the interface answered last, by the clock of this device. */
export const answeredAt = signal<number | undefined>(undefined);

/** The time at the interface, for ages on the screen: they grow while nothing else changes. */
export const clock = signal(Date.now());
setInterval(() => {
  clock.value = now();
}, 5000);

/** How far the clock of the interface is ahead of this device's: its answers say their time. */
let ahead = 0;

export function noteAnswer(response: Response): void {
  const date = Date.parse(response.headers.get('Date') ?? '');
  if (!Number.isNaN(date)) ahead = date - Date.now();
  answeredAt.value = Date.now();
  clock.value = now();
  isOffline.value = false;
}

/** The time at the interface. */
export function now(): number {
  return Date.now() + ahead;
}
