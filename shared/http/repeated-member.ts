/**
 * Matches strings, member names with their colons, brackets and commas. An unterminated string
 * matches to the end of the text; otherwise the search would restart at each of its quotes.
 */
const TOKENS = /("[^"\\]*(?:\\[\s\S][^"\\]*)*\\?"?)(\s*:)?|[{}[\],]/g;

type Open = { readonly names: Set<string> | undefined; at: string | number };

/**
 * The path of a duplicate member in valid JSON; undefined without one. JSON.parse uses the last
 * duplicate, but other parsers may use the first.
 */
export function repeatedMember(json: string): readonly (string | number)[] | undefined {
  const open: Open[] = [];
  for (const [token, text = '', colon] of json.matchAll(TOKENS)) {
    const inner = open.at(-1);
    if (token === '{') open.push({ names: new Set(), at: '' });
    else if (token === '[') open.push({ names: undefined, at: 0 });
    else if (token === '}' || token === ']') open.pop();
    else if (token === ',' && typeof inner?.at === 'number') inner.at += 1;
    else if (colon !== undefined && inner?.names !== undefined) {
      inner.at = nameIn(text);
      if (inner.names.has(inner.at)) return open.map(({ at }) => at);
      inner.names.add(inner.at);
    }
  }
  return undefined;
}

/** Decodes a member name, because escapes allow several spellings of a name. */
function nameIn(text: string): string {
  return text.includes('\\') ? String(JSON.parse(text)) : text.slice(1, -1);
}
