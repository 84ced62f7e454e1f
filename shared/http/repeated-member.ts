/**
 * Texts, those that name a member with their colon, and what opens, parts and ends things. A text
 * without an end is one to the end: it would be tried anew from each of its quotes otherwise.
 */
const TOKENS = /("[^"\\]*(?:\\[\s\S][^"\\]*)*\\?"?)(\s*:)?|[{}[\],]/g;

type Open = { readonly names: Set<string> | undefined; at: string | number };

/**
 * The place of a duplicate member in valid JSON; undefined without one. JSON.parse takes the last of
 * two, and another reader may take the first.
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

/** The same name may be written in several ways. */
function nameIn(text: string): string {
  return text.includes('\\') ? String(JSON.parse(text)) : text.slice(1, -1);
}
