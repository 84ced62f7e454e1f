import { SECRET_FORMS } from '#shared/channels/secret-forms.ts';

/** Takes the place of secrets in logs. */
export const HIDDEN = '[hidden]';

const SECRET_NAMES = new Set([
  ...['authorization', 'x-api-key', 'apikey', 'api_key', 'cookie', 'set-cookie', 'password'],
  ...['secret', 'secrets', 'sealed', 'token', 'link', 'url', 'urls', 'headers'],
]);

/** Whether a member is a secret by its name, whatever its value. */
export function isSecretName(name: string): boolean {
  return SECRET_NAMES.has(name.toLowerCase());
}

/**
 * What looks like a secret wherever it stands. Each of these takes what it has looked at with it or
 * gives up within a few characters, so its time is in proportion to the text.
 */
const SECRET_VALUES: readonly RegExp[] = [
  // Our API keys and sign-in codes, whole or cut; keys of the upstream, which are JSON Web Tokens.
  /fws?_[\w-]{16,}/g,
  /eyJ[\w.-]{16,}/g,
  // Secrets of channels, and those as they are sealed.
  ...Object.values(SECRET_FORMS)
    .flat()
    .map(({ source }) => new RegExp(source, 'g')),
  // Addresses in messages, which are a right to act.
  /(?<=\/v1\/(?:actions|subscriptions)\/)[\w.-]+/g,
  /v2\.[0-9a-f]{8}\.[\w-]+\.[\w-]+/g,
  // Parameters, members and headers that are written out.
  /(?<="(?:secrets?|token|password|url|link)": ?")[^"]+/gi,
  /(?<=[?&](?:token|secret|key|signature|sig)=)[^&\s"']+/gi,
  /(?<=\b(?:authorization|x-api-key)["']?[:=] ?["']?)(?:(?:bearer|basic) )?[^\s"',}]+/gi,
];

/** A text without what looks like a secret. */
export function redact(text: string): string {
  return SECRET_VALUES.reduce((left, secret) => left.replace(secret, HIDDEN), text);
}
