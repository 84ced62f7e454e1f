/** Markup with escaped texts. */
export type Markup = { readonly markup: string };

/** Builds markup from a template: texts are escaped, markup is inserted unchanged. */
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
