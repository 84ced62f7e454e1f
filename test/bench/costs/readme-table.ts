const [BEGIN, END] = ['<!-- npm run costs -->\n', '<!-- end of npm run costs -->\n'];

/** Replaces the table between the marks of a document. */
export function withTable(document: string, table: string): string {
  const { before, after } = around(document);
  return `${before}\n${table}\n${after}`;
}

/** The table between the marks of a document. */
export function tableOf(document: string): string {
  const { before, after } = around(document);
  return document.slice(before.length + 1, document.length - after.length - 1);
}

function around(document: string): { readonly before: string; readonly after: string } {
  const [begin, end] = [document.indexOf(BEGIN), document.indexOf(END)];
  if (begin < 0 || end < begin)
    throw new Error(`the document has no table between ${BEGIN.trim()} and ${END.trim()}`);
  return { before: document.slice(0, begin + BEGIN.length), after: document.slice(end) };
}
