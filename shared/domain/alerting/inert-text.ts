/** What mail programs and chats make a link of: an address with a scheme, and the name of a host. */
const SCHEME = /([a-z][a-z0-9+.-]*):(?=\/\/|\S*@)/gi;
const HOST = /([\p{L}\p{N}_-])\.(?=[\p{L}]{2,})/gu;

/**
 * A name or label as text that nothing makes a link of: `evil.example` becomes `evil[.]example`.
 * Only what looks like an address is changed.
 */
export function inert(text: string): string {
  return text.replace(SCHEME, '$1[:]').replace(HOST, '$1[.]');
}
