/** Whether this browser can have the console as an app, and be notified. */
export const canBeNotified =
  'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;

/** Registers the service worker for the page alone, which is not below the folder of its files. */
export function registerServiceWorker(): void {
  if (!('serviceWorker' in navigator)) return;
  navigator.serviceWorker.register('app/service-worker.js', { scope: 'app' }).catch(() => {
    // A private window may have none: the console works without.
  });
}
