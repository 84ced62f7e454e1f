import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pid } from 'node:process';
import * as z from 'zod';
import { UsageError } from '#infra/command-line/usage-error.ts';
import { Stage } from '#infra/stack/stages.ts';

/**
 * One file for each running stack of this checkout: its name is the process id, its content the
 * URL.
 */
const FOLDER = join(import.meta.dirname, '..', '..', '.cache', 'stacks');

/** Records the URL of this process's stack; the returned function deletes the record. */
export async function announceStack(url: string, folder = FOLDER): Promise<() => Promise<void>> {
  const file = join(folder, `${pid}`);
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(file, url);
    return () => rm(file, { force: true });
  } catch {
    // The stack can run without the record, but commands then need `--url URL`.
    return async () => {};
  }
}

/**
 * The URLs of running stacks. Records of killed stacks are skipped, because no stack responds at
 * their URLs.
 */
export async function findLocalStacks(folder = FOLDER): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  const urls = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  const running = await Promise.all(
    urls.map((url) =>
      readStatus(url).then(
        () => [url],
        () => [],
      ),
    ),
  );
  return running.flat();
}

/** The URL of the single running stack of this checkout. */
export async function theLocalStack(): Promise<string> {
  const [url, ...others] = await findLocalStacks();
  if (url === undefined) {
    throw new UsageError(
      'no local stack runs in this checkout: run npm start, or give --url <url> or --stage <name>',
    );
  }
  if (others.length === 0) return url;
  throw new UsageError(
    `several local stacks run in this checkout; choose one with --url: ${[url, ...others].join(', ')}`,
  );
}

/** The virtual time of a stack of `npm start`, and its settings. */
const LocalStack = z.object({ time: z.iso.datetime(), stage: Stage });

/** Throws a UsageError if no stack of `npm start` responds at the URL. */
export async function readLocalStack(url: string): Promise<z.output<typeof LocalStack>> {
  try {
    return LocalStack.parse(await readStatus(url));
  } catch (error) {
    throw new UsageError(
      `--url ${url}: no local stack responds at this URL; give the URL that npm start printed, or --stage <name>`,
      { cause: error },
    );
  }
}

/** The status page of a stack of `npm start`. */
async function readStatus(url: string): Promise<unknown> {
  const answer = await fetch(new URL('/local/status', url));
  return await answer.json();
}
