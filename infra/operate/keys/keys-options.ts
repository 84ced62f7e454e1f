import { parseArgs } from 'node:util';
import * as z from 'zod';
import { readStack, stackOptions, stageHelp } from '#infra/operate/stack-option.ts';
import type { StackTableOptions } from '#infra/operate/stack-table.ts';
import { orUsageError, UsageError } from '#infra/operate/usage-error.ts';
import { ApiKeyId, Scope } from '#shared/domain/access/api-key.ts';
import { Duration, readDuration } from '#shared/domain/market/duration.ts';
import { Moment } from '#shared/domain/rules/alert-rule.ts';
import { Identifier, Line } from '#shared/domain/words.ts';

/** An end: a moment, or a span from now; both in milliseconds. */
export type End = { readonly at: number } | { readonly after: number };

/** The command line of `npm run keys`. */
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
        /** The remaining life of the replaced key, in milliseconds. */
        readonly overlap: number;
      }
    | { readonly command: 'revoke'; readonly id: string }
  );

export const help = `npm run keys -- COMMAND [options]

Makes and ends API keys. A key is shown once, when it is made. Lists and the audit log have its
public id, which opens nothing. A tenant has at most two live keys: one in use and its successor.

  create           make a key
    --tenant NAME    its tenant: 1 to 40 lower-case letters, digits and hyphens
    --name TEXT      its purpose (default "a key")
    --scopes LIST    its rights: read, write, admin (default read,write)
    --expires WHEN   its end: a span from 1m to 90d, or a moment such as 2027-01-01T00:00:00Z
                     (default: no end)
  list             list live keys, and those that ended in the last 30 days
    --tenant NAME    only keys of this tenant
  rotate ID        make the successor of a key, and set the end of the old key
    --overlap SPAN   the remaining life of the old key (default 24h)
    --expires WHEN   the end of the new key (default: the old key's original life, from now)
  revoke ID        end a key for good; it is rejected within a minute

  --local URL      a stack of npm start, by the address that it printed (default: the running
                   stack of this checkout)
${stageHelp}
  --table NAME     the stage's table, if it has several
  --json           JSON lines: created, key, ends, revoked
  --help           this text

Exit codes: 0 done, 2 a mistake that you can mend, 1 failure.
`;

/** Reads the command line; undefined for `--help`. */
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
  if (strange !== undefined) throw new UsageError(`${command} does not take --${strange}`);
  const takesId = command === 'rotate' || command === 'revoke';
  if (more.length > 0 || (!takesId && id !== undefined)) {
    throw new UsageError(`${command} does not take the argument ${positionals.at(-1)}`);
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

/** The options of each command, beside the common ones. */
const TAKEN: Readonly<Record<string, readonly Own[]>> = {
  create: ['tenant', 'name', 'scopes', 'expires'],
  list: ['tenant'],
  rotate: ['expires', 'overlap'],
  revoke: [],
};
const OWN = ['tenant', 'name', 'scopes', 'expires', 'overlap'] as const;
type Own = (typeof OWN)[number];

const COMMANDS = 'give one of create, list, rotate, revoke; --help lists their options';

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
