import { readFile } from 'node:fs/promises';
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, type Tags } from 'yaml';

/** The position of a value in a document. */
export type Path = readonly (string | number)[];

/** A problem of a file. */
export type FileProblem = {
  readonly file: string;
  readonly line: number;
  /** The member, as a JSON pointer; empty for the whole file. */
  readonly pointer: string;
  readonly detail: string;
};

/** A YAML or JSON file. */
export type SourceFile = {
  readonly file: string;
  readonly document: unknown;
  readonly problemAt: (path: Path, detail: string) => FileProblem;
};

/** Reads a YAML file (JSON is a subset of YAML). Returns the problems if the file is neither. */
export async function readSourceFile(file: string): Promise<SourceFile | readonly FileProblem[]> {
  const text = await readFile(file, 'utf8');
  const lineCounter = new LineCounter();
  const lineAt = (offset: number) => lineCounter.linePos(offset).line;
  const read = parseDocument(text, { lineCounter, prettyErrors: false, customTags: withoutHex });
  const found = [...read.errors, ...read.warnings];
  if (found.length > 0) {
    return found.map(({ pos: [offset], message }) => ({
      ...{ file, line: lineAt(offset), pointer: '', detail: message },
    }));
  }
  return {
    file,
    document: read.toJS(),
    problemAt: (path, detail) => ({
      ...{ file, line: lineAt(offsetOf(read.contents, path)), pointer: pointerOf(path), detail },
    }),
  };
}

/** Keeps `0x…` as text, because it is an address, never a number. */
function withoutHex(tags: Tags): Tags {
  return tags.filter(
    (tag) => typeof tag === 'string' || !('format' in tag && tag.format === 'HEX'),
  );
}

/** The offset of a member; for a missing member, the offset of its parent. */
function offsetOf(contents: Node | null, path: Path): number {
  let node: unknown = contents;
  let [offset] = contents?.range ?? [0];
  for (const part of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === `${part}`);
      if (pair === undefined) break;
      if (isScalar(pair.key)) [offset] = pair.key.range ?? [offset];
      node = pair.value;
    } else if (isSeq<Node>(node)) {
      const item = node.items[Number(part)];
      if (item === undefined) break;
      [offset] = item.range ?? [offset];
      node = item;
    } else break;
  }
  return offset;
}

function pointerOf(path: Path): string {
  return path
    .map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}

/** The path of a JSON pointer. */
export function pathOf(pointer: string): Path {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}
