import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { codeOf, messageOf } from '#infra/command-line/system-error.ts';
import { UsageError } from '#infra/command-line/usage-error.ts';

/**
 * Makes the folder if need be and claims it for this process; the answer gives it up.
 *
 * The table's own lock is found too late, where it cannot be caught. A lock whose process is
 * gone counts for nothing.
 */
export async function claimFolder(folder: string): Promise<() => Promise<void>> {
  const lock = join(folder, 'lock');
  try {
    await makeFolder(resolve(folder));
    if (!(await tryLock(lock))) {
      const holder = await holderOf(lock);
      if (holder !== undefined) throw inUse(folder, lock, holder);
      await rm(lock, { force: true });
      if (!(await tryLock(lock))) throw inUse(folder, lock, await holderOf(lock));
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`--keep ${folder} cannot be used: ${messageOf(error)}`, { cause: error });
  }
  return () => rm(lock, { force: true });
}

/** Level by level: Node's own recursion never ends where a folder takes no folders, as in /proc. */
async function makeFolder(folder: string): Promise<void> {
  const missing: string[] = [];
  for (let level = folder; !(await isThere(level)); level = dirname(level)) missing.unshift(level);
  for (const level of missing) await mkdir(level);
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

async function tryLock(lock: string): Promise<boolean> {
  try {
    await writeFile(lock, `${process.pid}\n`, { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** The other process that holds the lock; undefined if there is none any more. */
async function holderOf(lock: string): Promise<number | undefined> {
  const holder = Number(await readFile(lock, 'utf8'));
  const isOther = Number.isInteger(holder) && holder > 0 && holder !== process.pid;
  return isOther && isRunning(holder) ? holder : undefined;
}

function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

function inUse(folder: string, lock: string, holder: number | undefined): UsageError {
  const by = holder === undefined ? 'another run' : `process ${holder}`;
  return new UsageError(
    `--keep ${folder} is in use by ${by}; if that is no floorwatch, remove ${lock}`,
  );
}
