import * as z from 'zod';
import { createReader } from '#infra/command-line/create-reader.ts';
import { argument, flag, option, subcommand } from '#infra/command-line/options.ts';
import { readTable, tableOptions } from '#infra/operate/stack-option.ts';
import { ApiKeyId } from '#shared/domain/access/api-key.ts';
import { Scope } from '#shared/domain/access/scope.ts';
import { LIMITS } from '#shared/domain/limits.ts';
import { Duration, readDuration } from '#shared/domain/market/duration.ts';
import { Moment } from '#shared/domain/rules/alert-rule.ts';
import { Identifier, Line } from '#shared/domain/words.ts';

/** An end: a moment, or a span from now; both in milliseconds. */
export type End = { readonly at: number } | { readonly after: number };

/** The command line of `npm run keys`. */
export type KeysOptions = NonNullable<ReturnType<typeof readKeysOptions>>;

const Span = Duration.transform((text) => readDuration(text) ?? 0);
const End: z.ZodType<End, string> = z.union(
  [
    Span.transform((after) => ({ after })),
    Moment.transform((moment) => ({ at: Date.parse(moment) })),
  ],
  'expected a span from 1m to 90d, or a moment such as 2027-01-01T00:00:00Z',
);
const Scopes = z
  .string()
  .transform((text) => [...new Set(text.split(','))])
  .pipe(z.array(Scope));

const shared = { ...tableOptions, json: flag('JSON lines: created, key, ends, revoked') };
const id = argument("the key's public id", ApiKeyId);

const read = createReader({
  name: 'npm run keys --',
  description: `Creates and revokes API keys. A key is shown only once, when it is created. Its public id, which grants no access, is in lists and in the audit log. A tenant has at most ${LIMITS.tenant.keys} live keys.`,
  options: z.discriminatedUnion('command', [
    subcommand('create', 'create a key', {
      ...shared,
      tenant: option('name', 'its tenant', Identifier),
      name: option('text', 'its purpose', Line.prefault('a key')),
      scopes: option(
        'list',
        'its rights: view, read, write, admin, operate',
        Scopes.prefault('read,write'),
      ),
      expires: option(
        'when',
        'its end, such as 90d or 2027-01-01T00:00:00Z (default: no end)',
        End.optional(),
      ),
    }),
    subcommand(
      'list',
      'list valid keys, and keys that expired or were revoked in the last 30 days',
      {
        ...shared,
        tenant: option('name', 'only keys of this tenant', Identifier.optional()),
      },
    ),
    subcommand('rotate', 'create the successor of a key, and let the old key expire', {
      ...shared,
      id,
      overlap: option('span', 'the remaining life of the old key', Span.prefault('24h')),
      expires: option(
        'when',
        "the end of the new key (default: the old key's original life, from now)",
        End.optional(),
      ),
    }),
    subcommand('revoke', 'revoke a key; it is rejected within a minute', { ...shared, id }),
  ]),
});

export function readKeysOptions(args: readonly string[]) {
  const given = read(args);
  if (given === undefined) return undefined;
  const { stage, local, settings, table, ...options } = given;
  return { ...options, ...readTable({ stage, local, settings, table }) };
}
