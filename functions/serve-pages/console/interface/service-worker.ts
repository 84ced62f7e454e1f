/** Whether this browser can install the console and receive notifications. */
export const canBeNotified =
  'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;

/**
 * Registers the service worker with the page as its scope. The default scope is the folder of the
 * worker's file, which does not contain the page.
 */
export function registerServiceWorker(): void {
  if (!('serviceWorker' in navigator)) return;
  navigator.serviceWorker.register('app/service-worker.js', { scope: 'app' }).catch(() => {
    // A private window may have no service worker. The console works without one.
  });
}
