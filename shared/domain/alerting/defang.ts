/** Patterns that mail programs and chats turn into links: a URL with a scheme, and a host name. */
const SCHEME = /(?<=[a-z][a-z0-9+.-]{0,30}):(?=\/\/)/gi;
const WORD = /\S+/g;
const MAIL_SCHEME = /(?<=[a-z][a-z0-9+.-]{0,30}):/gi;
const HOST = /([\p{L}\p{N}_-])\.(?=[\p{L}]{2,})/gu;

/**
 * Escapes a name or label so that no program turns it into a link: `evil.example` becomes
 * `evil[.]example`. The result cannot imitate marks such as `[critical]` and 🔴 either, because
 * square brackets become round and coloured circles become black.
 */
export function defang(text: string): string {
  const own = text
    .replace(/[[［﹇]/g, '(')
    .replace(/[\]］﹈]/g, ')')
    .replace(/[🔴🟠🟡🟢🔵🟣🟤]/gu, '●');
  // Mail programs and chats also detect addresses in look-alike characters.
  const read = own.normalize('NFKC').replaceAll('。', '.');
  const safe = read.replace(WORD, defangMailbox).replace(SCHEME, '[:]').replace(HOST, '$1[.]');
  return safe === read ? own : safe;
}

/** Escapes schemes before an `@`, because the `@` would make the word a link. */
function defangMailbox(word: string): string {
  const end = Math.max(0, word.lastIndexOf('@'));
  return word.slice(0, end).replace(MAIL_SCHEME, '[:]') + word.slice(end);
}
