import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pid } from 'node:process';
import * as z from 'zod';
import type { Stack } from './stack-option.ts';
import { UsageError } from './usage-error.ts';

/** Where the stacks that `npm start` runs of this checkout say so. */
const FOLDER = join(import.meta.dirname, '..', '..', '.cache', 'stacks');

/** Says where a stack of this process is; the answer takes that back. */
export async function announceStack(url: string, folder = FOLDER): Promise<() => Promise<void>> {
  const file = join(folder, `${pid}`);
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(file, url);
    return () => rm(file, { force: true });
  } catch {
    // Where nothing can be written, commands have to be reported the address.
    return async () => {};
  }
}

/** The addresses of the stacks that run; what a killed one has left behind answers no more. */
export async function findLocalStacks(folder = FOLDER): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  const urls = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  const running = await Promise.all(
    urls.map((url) =>
      readStatus(url, z.unknown()).then(
        () => [url],
        () => [],
      ),
    ),
  );
  return running.flat();
}

/** The one that runs of this checkout. */
export async function theLocalStack(): Promise<Stack> {
  const [url, ...others] = await findLocalStacks();
  if (url === undefined) {
    throw new UsageError('no stack of npm start runs here: give --local URL or --stage NAME');
  }
  if (others.length > 0) {
    const urls = [url, ...others].join(', ');
    throw new UsageError(`several stacks of npm start run here, give one by --local: ${urls}`);
  }
  return { kind: 'local', url };
}

/** What a stack that `npm start` runs says of itself. */
export async function readStatus<Schema extends z.ZodType>(
  url: string,
  schema: Schema,
): Promise<z.output<Schema>> {
  const answer = await fetch(new URL('/local/status', url));
  return schema.parse(await answer.json());
}
