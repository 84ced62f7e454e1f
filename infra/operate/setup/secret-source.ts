import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { UsageError } from '#infra/command-line/usage-error.ts';

/** The environment variables and standard input of the process. */
export type SecretInputs = {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Undefined for a terminal, which would show the typed secret. */
  readonly stdin: NodeJS.ReadableStream | undefined;
};

/**
 * Reads a secret from `env:NAME`, `file:PATH` or `-`, without the trailing newline of a file or pipe.
 * No secret is on a command line.
 */
export async function readSecret(
  option: string,
  source: string,
  { environment, stdin }: SecretInputs,
): Promise<string> {
  const [, kind, name = ''] = /^(env|file):(.+)$/.exec(source) ?? [];
  if (kind === undefined && source !== '-') {
    // The source may be the secret itself, so the error does not repeat it.
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
  throw new UsageError(`there is no secret in ${place}: expected a text`);
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new UsageError(`the file ${path} cannot be read`, { cause: error });
  }
}
