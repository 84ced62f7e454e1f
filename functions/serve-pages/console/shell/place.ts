import { signal } from '@preact/signals';
import { takeKeyFromAddress } from '#console/interface/session.ts';

// Remove a key from the address before the address is read.
takeKeyFromAddress(linkTo());

/** The parts of the address after `#/`: `#/collections/eth:0x…` → `['collections', 'eth:0x…']`. */
export const place = signal(partsOf(location.hash));

/**
 * The choices that a person made on the page, such as filters. They are stored after `?`, so that a
 * reload, a shared link and the back button keep them.
 */
export const choices = signal(choicesOf(location.hash));

type Choices = Readonly<Record<string, string>>;
/** Choices by name. Undefined removes a choice. */
export type Changed = Readonly<Record<string, string | undefined>>;

window.addEventListener('hashchange', () => {
  if (takeKeyFromAddress(linkWith(choices.peek(), ...place.peek()))) return;
  read();
  window.scrollTo(0, 0);
});

function read(): void {
  place.value = partsOf(location.hash);
  choices.value = choicesOf(location.hash);
}

/**
 * Changes choices of the page. `step` adds an entry to the history of the browser, and `on`
 * replaces the current entry.
 */
export function choose(changed: Changed, as: 'step' | 'on' = 'step'): void {
  const hash = linkWith({ ...choices.peek(), ...changed }, ...place.peek());
  if (as === 'step') history.pushState(null, '', hash);
  else history.replaceState(null, '', hash);
  read();
}

/** A link within the console. */
export function linkTo(...parts: readonly string[]): string {
  return `#/${parts.map(encodeURIComponent).join('/')}`;
}

/** A link to a page with choices. */
export function linkWith(chosen: Changed, ...parts: readonly string[]): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(chosen)) if (value) query.set(name, value);
  return query.size === 0 ? linkTo(...parts) : `${linkTo(...parts)}?${query}`;
}

export function goTo(...parts: readonly string[]): void {
  location.hash = linkTo(...parts);
}

/** The chosen word if it is one of the known words, otherwise undefined. */
export function oneOf<Word extends string>(
  words: readonly Word[],
  chosen: string | undefined,
): Word | undefined {
  return words.find((word) => word === chosen);
}

function partsOf(hash: string): readonly string[] {
  const [, path = ''] = /^#\/([^?]*)/.exec(hash) ?? [];
  return path
    .split('/')
    .filter((part) => part !== '')
    .map(decode);
}

function choicesOf(hash: string): Choices {
  const [, query = ''] = /^[^?]*\?(.*)/.exec(hash) ?? [];
  return Object.fromEntries(new URLSearchParams(query));
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
