import { ChannelBody } from '#shared/channels/channel-body.ts';
import { KINDS, type Kind, type Written } from '#shared/channels/kinds.ts';
import { isNameOfSecret } from '#shared/domain/channels/channel-secret.ts';
import type { Path } from './source-file.ts';

/** Environment variables by name. */
export type Variables = Readonly<Record<string, string | undefined>>;

type Misplaced = { readonly path: Path; readonly detail: string };

const REFERENCE = /\$\{([A-Za-z_]\w*)\}/g;

/**
 * The channel to send, in which `${NAME}` is replaced by the variable of that name. Rejects a
 * secret in the file itself, and a variable that is not set.
 */
export function withSecrets(
  channel: unknown,
  variables: Variables,
): { readonly sent: unknown; readonly misplaced: readonly Misplaced[] } {
  const misplaced: Misplaced[] = [];
  const sent = eachText(channel, [], (text, path) =>
    text.replaceAll(REFERENCE, (reference, name: string) => {
      const value = variables[name];
      if (value) return value;
      misplaced.push({ path, detail: `expected the variable ${name} in the environment` });
      return reference;
    }),
  );
  const body = ChannelBody.safeParse(sent);
  const secrets = body.success ? secretsOf(body.data.kind, body.data) : [];
  for (const { path, secret } of secrets) {
    if (isNameOfSecret(secret) || secret !== textAt(channel, path)) continue;
    const detail = `expected "\${NAME}", with the secret in the variable NAME: files must not contain secrets`;
    misplaced.push({ path, detail });
  }
  return { sent, misplaced };
}

/** A variable that a written file refers to. */
export type Referred = {
  readonly name: string;
  /** The owner of the secret: `contact point desk, url`. */
  readonly of: string;
  /** The name of the stored secret (`kept:…`). A variable with this value leaves it unchanged. */
  readonly kept: string;
};

/**
 * The channel to write to a file, in which `${NAME}` replaces each secret. Ids with hyphens can
 * give two secrets the same variable name, so a name that is already in `taken` gets a number. The
 * chosen name is added to `taken`.
 */
export function withReferences(
  channel: unknown,
  prefix: string,
  of: string,
  taken: Set<string>,
): { readonly written: unknown; readonly referred: readonly Referred[] } {
  const referred: Referred[] = [];
  const written = eachText(channel, [], (text, path) => {
    if (!isNameOfSecret(text)) return text;
    const member = path.map((part) => (typeof part === 'number' ? part + 1 : part)).join('_');
    const name = freeName(
      `FLOORWATCH_${prefix}_${member}`.replaceAll(/\W/g, '_').toUpperCase(),
      taken,
    );
    taken.add(name);
    referred.push({ name, of: `${of}, ${path.join(' ')}`, kept: text });
    return `\${${name}}`;
  });
  return { written, referred };
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number += 1) {
    const numbered = number === 1 ? name : `${name}_${number}`;
    if (!taken.has(numbered)) return numbered;
  }
}

function secretsOf<Name extends Kind>(kind: Name, written: Written[Name]) {
  return KINDS[kind].secretsOf(written);
}

/** Applies `change` to each text in a value. */
function eachText(
  value: unknown,
  path: Path,
  change: (text: string, path: Path) => string,
): unknown {
  if (typeof value === 'string') return change(value, path);
  if (Array.isArray(value)) {
    return value.map((one: unknown, index) => eachText(one, [...path, index], change));
  }
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, one]) => [
    name,
    eachText(one, [...path, name], change),
  ]);
  return Object.fromEntries(members);
}

function textAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, part) =>
      typeof inner === 'object' && inner !== null ? Reflect.get(inner, part) : undefined,
    value,
  );
}
