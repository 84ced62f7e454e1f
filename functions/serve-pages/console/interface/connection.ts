import { signal } from '@preact/signals';

/** Whether the device has no network, or the last request got no answer. */
export const isOffline = signal(!navigator.onLine);
window.addEventListener('offline', () => {
  isOffline.value = true;
});

/** Time of the last answer of the API, by the clock of this device. */
export const answeredAt = signal<number | undefined>(undefined);

/**
 * The current time of the API. It is updated every five seconds, so that ages on the screen are
 * current.
 */
export const clock = signal(Date.now());
setInterval(() => {
  clock.value = now();
}, 5000);

/**
 * Milliseconds by which the API's clock is ahead of this device, from the `Date` header of the last
 * response.
 */
let ahead = 0;

export function noteAnswer(response: Response): void {
  const date = Date.parse(response.headers.get('Date') ?? '');
  if (!Number.isNaN(date)) ahead = date - Date.now();
  answeredAt.value = Date.now();
  clock.value = now();
  isOffline.value = false;
}

/** The current time of the API. */
export function now(): number {
  return Date.now() + ahead;
}
