import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pid } from 'node:process';
import * as z from 'zod';
import { UsageError } from '#infra/command-line/usage-error.ts';
import type { Stack } from './stack-option.ts';

/** One file for each running stack of this checkout: its name is a process id, its text a URL. */
const FOLDER = join(import.meta.dirname, '..', '..', '.cache', 'stacks');

/** Records the URL of this process's stack; the returned function deletes the record. */
export async function announceStack(url: string, folder = FOLDER): Promise<() => Promise<void>> {
  const file = join(folder, `${pid}`);
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(file, url);
    return () => rm(file, { force: true });
  } catch {
    // The stack runs without a record: commands then need `--local URL`.
    return async () => {};
  }
}

/** The URLs of running stacks. A record left by a killed stack is skipped: its URL is dead. */
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

/** The only running stack of this checkout. */
export async function theLocalStack(): Promise<Stack> {
  const [url, ...others] = await findLocalStacks();
  if (url === undefined) {
    throw new UsageError(
      'no stack of npm start runs in this checkout: start one, or give --local <url> or --stage <name>',
    );
  }
  if (others.length > 0) {
    const urls = [url, ...others].join(', ');
    throw new UsageError(
      `several stacks of npm start run in this checkout; choose one with --local: ${urls}`,
    );
  }
  return { kind: 'local', url };
}

/** The status page of a stack of `npm start`. */
export async function readStatus<Schema extends z.ZodType>(
  url: string,
  schema: Schema,
): Promise<z.output<Schema>> {
  const answer = await fetch(new URL('/local/status', url));
  return schema.parse(await answer.json());
}

/** The time of a stack of `npm start`. Throws UsageError if none answers at the URL. */
export async function expectLocalStack(url: string): Promise<string> {
  try {
    return (await readStatus(url, z.object({ time: z.iso.datetime() }))).time;
  } catch (error) {
    throw new UsageError(
      `--local ${url}: no stack of npm start answers there; give the address that it printed`,
      { cause: error },
    );
  }
}
