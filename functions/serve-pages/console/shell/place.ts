import { signal } from '@preact/signals';

/** The parts of the address behind `#/`: `#/collections/eth:0x…` → `['collections', 'eth:0x…']`. */
export const place = signal(partsOf(location.hash));

window.addEventListener('hashchange', () => {
  place.value = partsOf(location.hash);
  window.scrollTo(0, 0);
});

function partsOf(hash: string): readonly string[] {
  const [, path = ''] = /^#\/([^?]*)/.exec(hash) ?? [];
  return path
    .split('/')
    .filter((part) => part !== '')
    .map(decode);
}

/** A link within the console. */
export function linkTo(...parts: readonly string[]): string {
  return `#/${parts.map(encodeURIComponent).join('/')}`;
}

export function goTo(...parts: readonly string[]): void {
  location.hash = linkTo(...parts);
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
