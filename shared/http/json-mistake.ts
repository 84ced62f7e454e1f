/**
 * Describes the first character at which a text is not valid JSON, with its position. V8's parser
 * includes a position only in some of its messages.
 */
export function jsonMistake(text: string): string {
  const position = longestStart(text);
  const character = String.fromCodePoint(text.codePointAt(position) ?? 0);
  if (position >= text.length) return 'unexpected end of the text';
  const lines = text.slice(0, position).split('\n');
  const found = `found ${JSON.stringify(character)} at line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
  return QUOTES.has(character) ? `${found}; JSON strings use double quotes (")` : found;
}

/** Characters that people type, or programs insert, in place of a double quote. */
const QUOTES: ReadonlySet<string> = new Set(["'", '`', '‘', '’', '“', '”', '„']);

/** The length of the longest prefix that is the beginning of a JSON document. */
function longestStart(text: string): number {
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (canBegin(text.slice(0, middle))) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * Whether a text is the beginning of a JSON document: the parser accepts it, or reports that the
 * input has ended.
 */
function canBegin(start: string): boolean {
  try {
    JSON.parse(start);
    return true;
  } catch (error) {
    const { message } = error instanceof Error ? error : { message: '' };
    if (/^Unexpected end|^Unterminated/.test(message)) return true;
    const [, position] = /at position (\d+)/.exec(message) ?? [];
    return Number(position) === start.length;
  }
}
