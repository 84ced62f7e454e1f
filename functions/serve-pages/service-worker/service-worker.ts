import type { PushMessage } from '#shared/channels/push/message.ts';

/**
 * The service worker of the console. It shows notifications, posts the chosen action to the signed
 * address of the alert, and serves the files of the console while the device is offline. It
 * neither gets the API key nor reads responses of the API.
 */
declare const self: ServiceWorkerGlobalScope;

/** The files of the console, and a hash of their names. The build sets both. */
declare const FILES: readonly string[];
declare const VERSION: string;

const SHELL = `shell-${VERSION}`;
/**
 * The page of the console. If the stack has no custom domain, the path of the page starts with the
 * stage of the API Gateway.
 */
const PAGE = new URL('../app', self.location.href).href;
const files = new Set(FILES.map(urlOf));

function urlOf(file: string): string {
  return new URL(file, self.location.href).href;
}

self.addEventListener('install', (event) => {
  event.waitUntil(keepShell());
});

async function keepShell(): Promise<void> {
  const cache = await caches.open(SHELL);
  await cache.addAll([PAGE, ...files]);
}

self.addEventListener('activate', (event) => {
  event.waitUntil(replaceShell());
});

async function replaceShell(): Promise<void> {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith('shell-') && name !== SHELL);
  await Promise.all(old.map((name) => caches.delete(name)));
  await self.clients.claim();
}

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const [url] = request.url.split(/[?#]/);
  if (request.method !== 'GET' || url === undefined) return;
  if (request.mode === 'navigate' && url === PAGE) event.respondWith(page(request));
  else if (files.has(url)) event.respondWith(file(url, request));
});

/** The current page, or the stored one while the device is offline. */
async function page(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    const stored = await caches.match(PAGE);
    if (stored === undefined) throw error;
    return stored;
  }
}

/** File names contain hashes, so a stored file is never outdated. */
async function file(url: string, request: Request): Promise<Response> {
  return (await caches.match(url)) ?? (await fetch(request));
}

self.addEventListener('push', (event) => {
  if (event.data === null) return;
  // The code that encrypts messages for this device uses the same type.
  const { title, options }: PushMessage = event.data.json();
  const { actions, ...others } = options;
  const shown = {
    ...others,
    ...{ actions: [...actions], icon: urlOf('icon-192.png'), badge: urlOf('badge-96.png') },
  };
  event.waitUntil(self.registration.showNotification(title, shown));
});

self.addEventListener('notificationclick', (event) => {
  const { action, notification } = event;
  notification.close();
  const data: PushMessage['options']['data'] | null = notification.data;
  const address = ownAddress(data?.address ?? null);
  event.waitUntil(address === undefined ? showConsole() : act(address, action));
});

/** Parses an address. Returns undefined if it is malformed or belongs to another stack. */
function ownAddress(address: string | null): URL | undefined {
  if (address === null || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  return url.origin === self.location.origin ? url : undefined;
}

/**
 * Performs an action by submitting the form of the alert's page. If no action was chosen or it is
 * rejected, opens the page instead.
 */
async function act(address: URL, action: string): Promise<void> {
  if (action === '') {
    await self.clients.openWindow(address);
    return;
  }
  const acting = new URL(address);
  acting.searchParams.set('do', action);
  if (await isDone(acting)) return;
  await self.clients.openWindow(acting);
}

async function isDone(acting: URL): Promise<boolean> {
  try {
    const form = new URLSearchParams();
    const { ok } = await fetch(acting, { method: 'POST', body: form, credentials: 'omit' });
    return ok;
  } catch {
    return false;
  }
}

async function showConsole(): Promise<void> {
  const windows = await self.clients.matchAll({ type: 'window' });
  const open = windows.find(({ url }) => url.split(/[?#]/)[0] === PAGE);
  if (open === undefined) await self.clients.openWindow(PAGE);
  else await open.focus();
}
