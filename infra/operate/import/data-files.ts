import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { UsageError } from '#infra/command-line/usage-error.ts';

export type DataKind = 'tokens' | 'trades' | 'floors';
export const DATA_KINDS: readonly DataKind[] = ['tokens', 'trades', 'floors'];

export type DataFile = {
  readonly kind: DataKind;
  readonly path: string;
  readonly bytes: number;
};

/** The data files of a directory and its subfolders, sorted by path. */
export async function findDataFiles(directory: string): Promise<readonly DataFile[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(
    (error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      throw new UsageError(`${directory} cannot be read: ${reason}`, { cause: error });
    },
  );
  const files = entries.flatMap(({ name, parentPath }) => {
    const kind = DATA_KINDS.find((known) => [`${known}.jsonl`, `${known}.jsonl.gz`].includes(name));
    return kind === undefined ? [] : [{ kind, path: join(parentPath, name) }];
  });
  if (files.length === 0)
    throw new UsageError(
      `${directory} contains no file named floors, trades or tokens (.jsonl or .jsonl.gz)`,
    );
  const sized = files.map(async (file) => ({ ...file, bytes: (await stat(file.path)).size }));
  return (await Promise.all(sized)).toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** A hash of the file's content. */
export async function digestOf({ path }: Pick<DataFile, 'path'>): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('base64url');
}
