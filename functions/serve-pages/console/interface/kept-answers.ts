import { apiKey, isKeptOnDevice } from './session.ts';

/** An answer of the API as JSON, and the time of its last confirmation. */
export type KeptAnswer = { readonly text: string; readonly at: number };

const CACHE = 'answers-';

/**
 * Stores an answer on the device, so that the console can show it when it is opened without a
 * connection. Does nothing unless the person chose "remember" for the key. The name of the cache
 * contains a digest of the key, so a session with another key does not read it.
 */
export async function keepAnswer(question: string, { text, at }: KeptAnswer): Promise<void> {
  const cache = await openCache();
  await cache?.put(addressOf(question), new Response(text, { headers: { Date: String(at) } }));
}

export async function readKeptAnswer(question: string): Promise<KeptAnswer | undefined> {
  const found = await (await openCache())?.match(addressOf(question));
  if (found === undefined) return undefined;
  return { text: await found.text(), at: Number(found.headers.get('Date')) };
}

/** Deletes the stored answers of every other key. */
async function forgetOthers(): Promise<void> {
  if (!('caches' in globalThis)) return;
  const own = await cacheName();
  const names = await caches.keys();
  const others = names.filter((name) => name.startsWith(CACHE) && name !== own);
  await Promise.all(others.map((name) => caches.delete(name)));
}

apiKey.subscribe(() => void forgetOthers());

async function openCache(): Promise<Cache | undefined> {
  const name = await cacheName();
  return name === undefined ? undefined : await caches.open(name);
}

/** The name of the cache, or undefined if storing is not allowed or not supported. */
async function cacheName(): Promise<string | undefined> {
  const key = apiKey.peek();
  if (key === undefined || !('caches' in globalThis) || !isKeptOnDevice(key)) return undefined;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key));
  const hex = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0'));
  return `${CACHE}${hex.join('')}`;
}

function addressOf(question: string): string {
  return `/${encodeURIComponent(question)}`;
}
