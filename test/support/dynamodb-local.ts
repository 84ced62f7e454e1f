import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';

/** The reason why DynamoDB Local cannot run on this machine. */
export class DynamoDbLocalMissingError extends Error {
  override readonly name = 'DynamoDbLocalMissingError';
  readonly code = 'dynamodb_local_missing';
}

export type DynamoDbLocal = {
  readonly endpoint: string;
  readonly stop: () => Promise<void>;
};

/**
 * A package that contains Amazon's jar with its libraries. The package has 57 MB, so it is not a
 * dependency.
 */
const PACKAGE = 'amplify-dynamodb-simulator@2.9.30';
const SHA512 =
  'xTeeRLvzEfqyd5lh3bH4c0kHvSHHmmhD5ZDsHFKAQ5g2Zl6JqlFdutaQhCLHzxEp6Ry1o7TB6niIoXuQAnSewQ==';
const CACHE = join(import.meta.dirname, '..', '..', '.cache');
const EMULATOR = join(CACHE, PACKAGE, 'package', 'emulator');

const JAVA = 'java';

const run = promisify(execFile);

/** Fetches the emulator from the cache or the registry; throws if something is missing. */
export async function prepareDynamoDbLocal(): Promise<void> {
  await needing('no java compiler on this machine', run('javac', ['-version']));
  if (!existsSync(EMULATOR)) await needing(`${PACKAGE} cannot be fetched`, fetchEmulator());
}

/**
 * Starts an empty DynamoDB Local, in memory, on a free port of loopback. DynamoDB Local ends with
 * this process.
 */
export async function startDynamoDbLocal(): Promise<DynamoDbLocal> {
  const child = spawn(
    JAVA,
    [
      ...['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xmx512m'],
      ...['-Djava.library.path=DynamoDBLocal_lib', '-cp', 'DynamoDBLocal.jar:DynamoDBLocal_lib/*'],
      join(import.meta.dirname, 'dynamodb-on-loopback.java'),
      ...['-inMemory', '-disableTelemetry'],
    ],
    { cwd: EMULATOR, stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const ended = once(child, 'exit');
  const kill = () => child.kill();
  process.once('exit', kill);
  const port = await portIn(child.stdout);
  if (port === undefined) throw new Error(`java ended with ${(await ended)[0]} before it listened`);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    stop: async () => {
      process.off('exit', kill);
      kill();
      await ended;
    },
  };
}

async function needing(whatIsMissing: string, attempt: Promise<unknown>): Promise<void> {
  try {
    await attempt;
  } catch (error) {
    throw new DynamoDbLocalMissingError(whatIsMissing, { cause: error });
  }
}

/**
 * Unpacks in a temporary folder and then renames it, so that an interrupted run leaves nothing
 * incomplete.
 */
async function fetchEmulator(): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(join(CACHE, 'fetching-'));
  try {
    await run('npm', ['pack', PACKAGE, '--silent', '--fetch-retries=0'], { cwd: folder });
    const archive = join(folder, `${PACKAGE.replace('@', '-')}.tgz`);
    const sha512 = createHash('sha512')
      .update(await readFile(archive))
      .digest('base64');
    if (sha512 !== SHA512) throw new Error(`${PACKAGE} has the hash ${sha512}, not ${SHA512}`);
    await run('tar', ['-xzf', archive, '-C', folder]);
    await rm(archive);
    await rename(folder, join(CACHE, PACKAGE));
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    if (!existsSync(EMULATOR)) throw error;
  }
}

/** Reads all output, so that the process never blocks on a full pipe. */
function portIn(output: Readable): Promise<string | undefined> {
  return new Promise((resolve) => {
    const lines = createInterface({ input: output });
    lines.on('line', (line) => {
      const [, port] = /^port (\d+)$/.exec(line) ?? [];
      if (port !== undefined) resolve(port);
    });
    lines.once('close', () => resolve(undefined));
  });
}
