import { parseArgs } from 'node:util';
import * as z from 'zod';
import { readStack, stackOptions, stageHelp } from '#infra/operate/stack-option.ts';
import type { StackTableOptions } from '#infra/operate/stack-table.ts';
import { orUsageError, UsageError } from '#infra/operate/usage-error.ts';
import { ApiKeyId, Scope } from '#shared/domain/access/api-key.ts';
import { Duration, readDuration } from '#shared/domain/market/duration.ts';
import { Moment } from '#shared/domain/rules/alert-rule.ts';
import { Identifier, Line } from '#shared/domain/words.ts';

/** When something ends: at a moment, or after a span of time. */
export type End = { readonly at: number } | { readonly after: number };

/** What `npm run keys` was asked to do. */
export type KeysOptions = StackTableOptions & { readonly json: boolean } & (
    | {
        readonly command: 'create';
        readonly tenant: string;
        readonly name: string;
        readonly scopes: readonly Scope[];
        readonly expires: End | undefined;
      }
    | { readonly command: 'list'; readonly tenant: string | undefined }
    | {
        readonly command: 'rotate';
        readonly id: string;
        readonly expires: End | undefined;
        /** How long the key that is replaced goes on, in milliseconds. */
        readonly overlap: number;
      }
    | { readonly command: 'revoke'; readonly id: string }
  );

export const help = `npm run keys -- COMMAND [options]

Hands out and ends the keys of the interface. A key is reported once, when it is made; lists and the
audit log call it by its id, which opens nothing. A tenant has two live keys at most: one in
use, and one that takes its place.

  create           make a key
    --tenant NAME    for whom: 1 to 40 lower-case letters, digits and hyphens
    --name TEXT      what it is for ("a key" if left out)
    --scopes LIST    what it may do: read, write, admin (read,write if left out)
    --expires WHEN   its end: a span from 1m to 90d, or a moment such as 2027-01-01T00:00:00Z;
                     none if left out
  list             all keys, also those that ended in the last 30 days
    --tenant NAME    only those of one tenant
  rotate ID        make a key like another, which then ends
    --overlap SPAN   how long the other goes on (24h if left out)
    --expires WHEN   the end of the new one; the life that the other was given if left out
  revoke ID        end a key now and for good: within a minute it opens nothing

  --local URL      the stack that npm start runs, by the address that it printed; without a
                   stack, the one that runs of this checkout
${stageHelp}
  --table NAME     its table, where there are several
  --json           JSON lines: created, key, ends, revoked
  --help           this text

Ends with 0 when it is done, with 2 for what cannot be done, and with 1 for a failure.
`;

/** Reads the command line; `undefined` when only the help is asked for. */
export function readKeysOptions(args: readonly string[]): KeysOptions | undefined {
  const { values, positionals } = readArguments(args);
  if (values.help) return undefined;
  const { json, table } = values;
  const stack = readStack(values);
  if (table !== undefined && stack?.kind !== 'deployed') {
    throw new UsageError('--table goes with --stage');
  }
  const where = { stack, table, json };
  const [command = '', id, ...more] = positionals;
  const taken = TAKEN[command];
  if (taken === undefined) throw new UsageError(COMMANDS);
  const strange = OWN.find((name) => values[name] !== undefined && !taken.includes(name));
  if (strange !== undefined) throw new UsageError(`--${strange} does not go with ${command}`);
  const takesId = command === 'rotate' || command === 'revoke';
  if (more.length > 0 || (!takesId && id !== undefined)) {
    throw new UsageError(`${positionals.at(-1)} is more than ${command} takes`);
  }
  const expires = values.expires === undefined ? undefined : readEnd(values.expires);
  switch (command) {
    case 'create':
      return {
        ...{ ...where, command, expires },
        tenant: read('--tenant', Identifier, values.tenant),
        name: read('--name', Line, values.name ?? 'a key'),
        scopes: read('--scopes', Scopes, (values.scopes ?? 'read,write').split(',')),
      };
    case 'list':
      return {
        ...{ ...where, command },
        tenant: read('--tenant', Identifier.optional(), values.tenant),
      };
    case 'rotate':
      return {
        ...{ ...where, command, expires },
        id: read('ID', ApiKeyId, id),
        overlap: read('--overlap', Span, values.overlap ?? '24h'),
      };
    case 'revoke':
      return { ...where, command, id: read('ID', ApiKeyId, id) };
    default:
      throw new UsageError(COMMANDS);
  }
}

const Scopes = z.array(Scope).transform((scopes) => [...new Set(scopes)]);
const Span = Duration.transform((text) => readDuration(text) ?? 0);

/** Which options each command takes beside those of all. */
const TAKEN: Readonly<Record<string, readonly Own[]>> = {
  create: ['tenant', 'name', 'scopes', 'expires'],
  list: ['tenant'],
  rotate: ['expires', 'overlap'],
  revoke: [],
};
const OWN = ['tenant', 'name', 'scopes', 'expires', 'overlap'] as const;
type Own = (typeof OWN)[number];

const COMMANDS = 'give one of create, list, rotate, revoke; --help shows the rest';

function readEnd(text: string): End {
  const after = Span.safeParse(text);
  return after.success
    ? { after: after.data }
    : { at: Date.parse(read('--expires', Moment, text)) };
}

function read<Schema extends z.ZodType>(
  what: string,
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  if (value === undefined) throw new UsageError(`give ${what}`);
  throw new UsageError(`${what}: ${parsed.error.issues[0]?.message}`);
}

function readArguments(args: readonly string[]) {
  return orUsageError(() =>
    parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        tenant: { type: 'string' },
        name: { type: 'string' },
        scopes: { type: 'string' },
        expires: { type: 'string' },
        overlap: { type: 'string' },
        ...stackOptions,
        table: { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }),
  );
}
