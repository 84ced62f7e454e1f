import { signal } from '@preact/signals';

const STORED = 'floorwatch-key';

/** The API key of all requests, or undefined until a person signs in. */
export const apiKey = signal(
  sessionStorage.getItem(STORED) ?? localStorage.getItem(STORED) ?? undefined,
);

/** The reason why the last key was rejected, for the sign-in form. */
export const refusedBecause = signal<string | undefined>(undefined);

/** An opened sign-in link, before the person accepts or declines it. */
export type Offer =
  /** A key that differs from the key of this tab. */
  | { readonly kind: 'another key'; readonly key: string }
  | { readonly kind: 'one-time code'; readonly code: string }
  | { readonly kind: 'unreadable' };
export const offer = signal<Offer | undefined>(undefined);

/** A key, or a code that can be redeemed for a key. */
export type Credential = { readonly kind: 'key' | 'one-time code'; readonly text: string };

const IN_LINK = /#(key|sign-in)=([^&]*)/;
/** The prefix and the characters of each credential. The API checks the rest. */
const KEY = /^fw_[\w-]+$/;
const CODE = /^fws_[\w-]+$/;

/**
 * Finds the credential in a typed or pasted text, or in the fragment of the address. The text is a
 * key, a code, or a link with one of them.
 */
export function credentialIn(typed: string): Credential {
  const [, name, text] = IN_LINK.exec(typed) ?? [];
  const isCode = name === undefined ? typed.startsWith('fws_') : name === 'sign-in';
  return {
    kind: isCode ? 'one-time code' : 'key',
    text: text === undefined ? typed : (decoded(text, isCode ? CODE : KEY) ?? ''),
  };
}

/**
 * Removes the key or the code of a sign-in link from the address and the history. Returns whether
 * there was one. A key signs the person in, unless the tab has a session with another key: then the
 * key is offered, and the session stays until the person accepts. A code is always offered. Both
 * are in the fragment of the link, which browsers do not send to servers.
 */
export function takeKeyFromAddress(instead: string): boolean {
  if (location.hash.search(IN_LINK) !== 0) return false;
  const { kind, text: key } = credentialIn(location.hash);
  history.replaceState(null, '', `${location.pathname}${location.search}${instead}`);
  offer.value = undefined;
  if (key === '') offer.value = { kind: 'unreadable' };
  else if (kind === 'one-time code') offer.value = { kind, code: key };
  else if (apiKey.peek() === undefined) signIn(key, 'for this session');
  else if (apiKey.peek() !== key) offer.value = { kind: 'another key', key };
  return true;
}

/** Replaces the key of this tab. The key that the device remembers stays for other tabs. */
export function acceptOffer(): void {
  const offered = offer.peek();
  offer.value = undefined;
  if (offered?.kind === 'another key') signIn(offered.key, 'for this session');
}

export function declineOffer(): void {
  offer.value = undefined;
}

export function signIn(key: string, keep: 'for this session' | 'on this device'): void {
  if (!KEY.test(key)) {
    refusedBecause.value =
      'This is not a key: a key begins with “fw_” and has only letters, digits, “_” and “-”.';
    return;
  }
  if (keep === 'on this device') {
    localStorage.setItem(STORED, key);
    sessionStorage.removeItem(STORED);
  } else {
    sessionStorage.setItem(STORED, key);
  }
  refusedBecause.value = undefined;
  apiKey.value = key;
}

/** The storage that holds the key: the device's if it remembers the key, otherwise the tab's. */
export function storageOfSession(): Storage {
  return isKeptOnDevice(apiKey.peek() ?? '') ? localStorage : sessionStorage;
}

/** Whether a person chose "remember" for this key. */
export function isKeptOnDevice(key: string): boolean {
  return localStorage.getItem(STORED) === key;
}

/** Removes all keys from this tab and this device, and everything else that the tab stores. */
export function signOut(): void {
  sessionStorage.clear();
  localStorage.removeItem(STORED);
  offer.value = undefined;
  apiKey.value = undefined;
}

/** Ends the session of a rejected key, and removes only that key from the tab and the device. */
export function endSession(key: string | undefined, reason: string): void {
  if (apiKey.peek() !== key) return;
  for (const storage of [sessionStorage, localStorage]) {
    if (storage.getItem(STORED) === key) storage.removeItem(STORED);
  }
  refusedBecause.value = reason;
  apiKey.value = undefined;
}

/** Decodes the key or the code of a link; undefined if it is malformed. */
function decoded(text: string, form: RegExp): string | undefined {
  try {
    const credential = decodeURIComponent(text);
    return form.test(credential) ? credential : undefined;
  } catch {
    return undefined;
  }
}
