import { SECRET_FORMS } from '#shared/channels/secret-forms.ts';

/** Replaces secrets in logs. */
export const HIDDEN = '[hidden]';

const SECRET_NAMES = new Set([
  ...['authorization', 'x-api-key', 'apikey', 'api_key', 'cookie', 'set-cookie', 'password'],
  ...['secret', 'secrets', 'sealed', 'token', 'link', 'url', 'urls', 'headers'],
]);

/** Whether a member is a secret according to its name. */
export function isSecretName(name: string): boolean {
  return SECRET_NAMES.has(name.toLowerCase());
}

/**
 * Patterns of secrets. Each pattern consumes the characters that it has scanned, or fails within a
 * few characters, so its time is linear in the length of the text.
 */
const SECRET_VALUES: readonly RegExp[] = [
  // Our API keys and sign-in codes, also if truncated; keys of the upstream, which are JSON Web
  // Tokens.
  /fws?_[\w-]{16,}/g,
  /eyJ[\w.-]{16,}/g,
  // Secrets of channels, plain or sealed.
  ...Object.values(SECRET_FORMS)
    .flat()
    .map(({ source }) => new RegExp(source, 'g')),
  // Signed links, which grant actions.
  /(?<=\/v1\/(?:actions|subscriptions)\/)[\w.-]+/g,
  /v2\.[0-9a-f]{8}\.[\w-]+\.[\w-]+/g,
  // Parameters, members and headers in texts.
  /(?<="(?:secrets?|token|password|url|link)": ?")[^"]+/gi,
  /(?<=[?&](?:token|secret|key|signature|sig)=)[^&\s"']+/gi,
  /(?<=\b(?:authorization|x-api-key)["']?[:=] ?["']?)(?:(?:bearer|basic) )?[^\s"',}]+/gi,
];

/** Replaces everything in a text that looks like a secret. */
export function redact(text: string): string {
  return SECRET_VALUES.reduce((left, secret) => left.replace(secret, HIDDEN), text);
}
