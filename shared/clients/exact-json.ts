/**
 * JSON in which each number is represented by its source text.
 *
 * Prices therefore never become binary floats, and `1` and `"1"` have the same value.
 */
export type ExactJson =
  | string
  | boolean
  | null
  | readonly ExactJson[]
  | { readonly [member: string]: ExactJson };

/** Parses JSON; undefined if the text is invalid or too deeply nested. */
export function parseExactJson(text: string): ExactJson | undefined {
  try {
    return JSON.parse(text, withSourceOfNumbers);
  } catch {
    return undefined;
  }
}

/**
 * Replaces the value of one member in the JSON text of an object. All other bytes stay the same.
 */
export function rewriteMember(
  text: string,
  name: string,
  rewrite: (value: string) => string,
): string {
  const [start, end] = locateMember(text, name) ?? [0, 0];
  return text.slice(0, start) + rewrite(text.slice(start, end)) + text.slice(end);
}

/** The position of a member's value in the JSON text of an object. */
export function locateMember(text: string, name: string): readonly [number, number] | undefined {
  let found: readonly [number, number] | undefined;
  let member = '';
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') {
      const end = endOfString(text, at);
      if (start === 0) member = JSON.parse(text.slice(at, end));
      at = end - 1;
    } else if (depth === 1 && character === ':') {
      start = at + 1;
    } else if (depth === 1 && (character === ',' || character === '}')) {
      // If a member is repeated, the last one is used, as in `JSON.parse`.
      if (member === name) found = [start, at];
      start = 0;
    }
    if (character === '{' || character === '[') depth += 1;
    if (character === '}' || character === ']') depth -= 1;
  }
  return found;
}

function withSourceOfNumbers(
  member: string,
  value: unknown,
  context?: { readonly source?: string },
): unknown {
  if (member === '__proto__') return undefined;
  return typeof value === 'number' ? context?.source : value;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}
