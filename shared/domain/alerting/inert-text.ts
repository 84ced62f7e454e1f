/** What mail programs and chats make a link of: an address with a scheme, and the name of a host. */
const SCHEME = /(?<=[a-z][a-z0-9+.-]{0,30}):(?=\/\/)/gi;
const WORD = /\S+/g;
const MAIL_SCHEME = /(?<=[a-z][a-z0-9+.-]{0,30}):/gi;
const HOST = /([\p{L}\p{N}_-])\.(?=[\p{L}]{2,})/gu;

/**
 * A name or label as text that nothing makes a link of, `evil.example` becomes `evil[.]example`,
 * and that cannot pass for the mark of a tone: its own brackets are round, its circles have no
 * colour.
 */
export function inert(text: string): string {
  const own = text
    .replace(/[[［﹇]/g, '(')
    .replace(/[\]］﹈]/g, ')')
    .replace(/[🔴🟠🟡🟢🔵🟣🟤]/gu, '●');
  // Characters that only look like an address are read as one, too.
  const read = own.normalize('NFKC').replaceAll('。', '.');
  const safe = read.replace(WORD, inertMailbox).replace(SCHEME, '[:]').replace(HOST, '$1[.]');
  return safe === read ? own : safe;
}

/** A word in which what stands before an `@` is no scheme. */
function inertMailbox(word: string): string {
  const end = Math.max(0, word.lastIndexOf('@'));
  return word.slice(0, end).replace(MAIL_SCHEME, '[:]') + word.slice(end);
}
