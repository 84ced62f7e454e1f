/**
 * What makes a text no JSON: the first character that JSON does not allow, and where it is. The parser
 * of V8 names a position in half of its messages only.
 */
export function jsonMistake(text: string): string {
  const position = longestStart(text);
  const character = String.fromCodePoint(text.codePointAt(position) ?? 0);
  if (position >= text.length) return 'the text ends too early';
  const lines = text.slice(0, position).split('\n');
  const found = `found ${JSON.stringify(character)} at line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
  return QUOTES.has(character) ? `${found}; JSON has texts in double quotes (")` : found;
}

/** Quotes that people write, or that programs put in their place. */
const QUOTES: ReadonlySet<string> = new Set(["'", '`', '‘', '’', '“', '”', '„']);

/** The length of the longest start of a text with which a JSON document can begin. */
function longestStart(text: string): number {
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (canBegin(text.slice(0, middle))) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Whether a JSON document can begin with a text: then the parser complains about its end at most. */
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
