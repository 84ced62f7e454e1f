import { signal } from '@preact/signals';

const STORED = 'floorwatch-key';

/** The API key that the console asks with; undefined until a person gives one. */
export const apiKey = signal(
  sessionStorage.getItem(STORED) ?? localStorage.getItem(STORED) ?? undefined,
);

/** Why a person is asked for a key though there was one. */
export const refusedBecause = signal<string | undefined>(undefined);

/** A link may carry a key behind `#`, which no server sees. It leaves the address bar and the history. */
export function takeKeyFromAddress(): void {
  const [, key] = /^#key=([^&]+)/.exec(location.hash) ?? [];
  if (key === undefined) return;
  history.replaceState(null, '', `${location.pathname}${location.search}#/`);
  signIn(decodeURIComponent(key), 'for this session');
}

export function signIn(key: string, keep: 'for this session' | 'on this device'): void {
  signOut();
  (keep === 'on this device' ? localStorage : sessionStorage).setItem(STORED, key);
  refusedBecause.value = undefined;
  apiKey.value = key;
}

export function signOut(reason?: string): void {
  sessionStorage.removeItem(STORED);
  localStorage.removeItem(STORED);
  refusedBecause.value = reason;
  apiKey.value = undefined;
}
