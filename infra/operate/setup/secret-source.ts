import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { UsageError } from '#infra/command-line/usage-error.ts';

/** Where a secret is read from: never from the command line. */
export type SecretSource =
  | { readonly kind: 'environment'; readonly name: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'stdin' };

/** The environment variables and standard input of the process. */
export type SecretInputs = {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Undefined for a terminal, which would show the typed secret. */
  readonly stdin: NodeJS.ReadableStream | undefined;
};

/** Reads `env:NAME`, `file:PATH` or `-`. */
export function readSource(option: string, given: string | undefined): SecretSource | undefined {
  if (given === undefined) return undefined;
  if (given === '-') return { kind: 'stdin' };
  const [, kind, rest = ''] = /^(env|file):(.+)$/.exec(given) ?? [];
  if (kind === 'env') return { kind: 'environment', name: rest };
  if (kind === 'file') return { kind: 'file', path: rest };
  // The value may be the secret itself, so the error does not repeat it.
  throw new UsageError(`${option}: give env:NAME, file:PATH, or - for the standard input`);
}

/** Reads the secret, without the trailing newline of a file or pipe. */
export async function readSecret(
  source: SecretSource,
  { environment, stdin }: SecretInputs,
): Promise<string> {
  const [where, secret] = await readFrom(source, environment, stdin);
  const trimmed = secret?.trim();
  if (trimmed) return trimmed;
  throw new UsageError(`there is no secret in ${where}: expected a text`);
}

async function readFrom(
  source: SecretSource,
  environment: SecretInputs['environment'],
  stdin: SecretInputs['stdin'],
): Promise<readonly [where: string, secret: string | undefined]> {
  switch (source.kind) {
    case 'environment':
      return [`the variable ${source.name}`, environment[source.name]];
    case 'file':
      return [`the file ${source.path}`, await readText(source.path)];
    case 'stdin':
      return ['the standard input', stdin && (await text(stdin))];
  }
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new UsageError(`the file ${path} cannot be read`, { cause: error });
  }
}
