import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { UsageError } from '#infra/command-line/usage-error.ts';

/** The environment variables and standard input of the process. */
export type SecretInputs = {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Undefined for a terminal, which would display the typed secret. */
  readonly stdin: NodeJS.ReadableStream | undefined;
};

/**
 * Reads a secret from `env:NAME`, `file:PATH` or `-`, without the trailing newline of a file or
 * pipe. Secrets are never command-line arguments.
 */
export async function readSecret(
  option: string,
  source: string,
  { environment, stdin }: SecretInputs,
): Promise<string> {
  const [, kind, name = ''] = /^(env|file):(.+)$/.exec(source) ?? [];
  if (kind === undefined && source !== '-') {
    // The error does not repeat the source, because it may be the secret itself.
    throw new UsageError(`${option}: give env:NAME, file:PATH, or - for the standard input`);
  }
  const places = {
    env: [`the variable ${name}`, async () => environment[name]],
    file: [`the file ${name}`, () => readText(name)],
    '-': ['the standard input', async () => stdin && (await text(stdin))],
  } as const;
  const [place, read] = places[kind === 'env' || kind === 'file' ? kind : '-'];
  const secret = (await read())?.trim();
  if (secret) return secret;
  throw new UsageError(`${place} contains no secret`);
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new UsageError(`the file ${path} cannot be read`, { cause: error });
  }
}
