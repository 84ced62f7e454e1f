/** Markup of our own making, in which texts stand escaped. */
export type Markup = { readonly markup: string };

/** Markup with texts in it: each is escaped, markup stands as it is. */
export function html(
  parts: TemplateStringsArray,
  ...texts: readonly (string | Markup | readonly Markup[])[]
): Markup {
  const written = texts.map((text) => {
    if (typeof text === 'string') return escaped(text);
    return 'markup' in text ? text.markup : text.map(({ markup }) => markup).join('\n');
  });
  return { markup: String.raw({ raw: parts }, ...written) };
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
