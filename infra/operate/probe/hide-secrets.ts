import { HIDDEN, redact } from '#shared/runtime/redact.ts';

/** Shortest part of an address that can be a secret; `api`, `v3` and `eth` are none. */
const SHORTEST = 8;

/**
 * A text without given secrets, in whatever form an answer may repeat them. Of a secret that is an
 * address its host and the long parts of its path and query are secret, too.
 */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  const forms = secrets
    .flatMap((secret) => [secret, ...partsOf(secret)])
    .flatMap((part) => [part, encodeURIComponent(part), JSON.stringify(part).slice(1, -1)])
    .filter((part) => part.length > 0)
    .toSorted((one, other) => other.length - one.length);
  return redact(forms.reduce((left, part) => left.replaceAll(part, HIDDEN), text));
}

function partsOf(secret: string): readonly string[] {
  if (!URL.canParse(secret)) return [];
  const { host, username, password, pathname, searchParams } = new URL(secret);
  const long = [...pathname.split('/'), ...searchParams.values(), username, password];
  return [host, ...long.filter((part) => part.length >= SHORTEST)];
}
