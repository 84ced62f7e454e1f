import { HIDDEN, redact } from '#shared/runtime/redact.ts';

/**
 * The minimum length of a secret part of a URL, so that `api`, `v3` and `eth` are not treated as
 * secrets.
 */
const SHORTEST = 8;

/**
 * Removes secrets from a text, in every form in which an answer may repeat them. If a secret is a
 * URL, its host and the long parts of its path and query are secret, too.
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
