import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { argument, option, subcommand } from '#infra/command-line/options.ts';
import { UsageError } from '#infra/command-line/usage-error.ts';
import { openStack } from '#infra/operate/stack.ts';
import { tableTarget } from '#infra/operate/target.ts';
import { defineVerb } from '#infra/operate/verb.ts';
import {
  ApiKeyId,
  type ApiKeyRecord,
  apiKeyId,
  endOfKey,
  keyState,
} from '#shared/domain/access/api-key.ts';
import { KeyError } from '#shared/domain/access/key-error.ts';
import { Scope } from '#shared/domain/access/scope.ts';
import { LIMITS } from '#shared/domain/limits.ts';
import { Duration, readDuration } from '#shared/domain/market/duration.ts';
import { formatInstant, type Instant, momentOf } from '#shared/domain/market/instant.ts';
import { Moment } from '#shared/domain/rules/alert-rule.ts';
import { Identifier, Line } from '#shared/domain/words.ts';
import { createApiKeyStore } from '#shared/stores/api-key-store.ts';
import { createKey, revokeKey, rotateKey } from '#shared/use-cases/manage-keys.ts';

/** The expiry of a key: a point in time, or a duration from now; both in milliseconds. */
type End = { readonly at: number } | { readonly after: number };

const Span = Duration.transform((text) => readDuration(text) ?? 0);
const End: z.ZodType<End, string> = z.union(
  [
    Span.transform((after) => ({ after })),
    Moment.transform((moment) => ({ at: Date.parse(moment) })),
  ],
  'expected a duration from 1m to 90d, or a time such as 2027-01-01T00:00:00Z',
);
const Scopes = z
  .string()
  .transform((text) => [...new Set(text.split(','))])
  .pipe(z.array(Scope));

const id = argument("the key's public id", ApiKeyId);

const options = z.discriminatedUnion('command', [
  subcommand('create', 'create a key', {
    ...tableTarget,
    tenant: option('name', 'the tenant of the key', Identifier),
    name: option('text', 'the purpose of the key', Line.prefault('a key')),
    scopes: option(
      'list',
      'the scopes of the key: view, read, write, admin, operate',
      Scopes.prefault('read,write'),
    ),
    expires: option(
      'when',
      'the expiry of the key, such as 90d or 2027-01-01T00:00:00Z (default: the key does not expire)',
      End.optional(),
    ),
  }),
  subcommand('list', 'list valid keys, and keys that expired or were revoked in the last 30 days', {
    ...tableTarget,
    tenant: option('name', 'only keys of this tenant', Identifier.optional()),
  }),
  subcommand('rotate', 'create a replacement for a key, and let the old key expire', {
    ...{ ...tableTarget, id },
    overlap: option('span', 'how long the old key still works', Span.prefault('24h')),
    expires: option(
      'when',
      'the expiry of the new key (default: the original lifetime of the old key, starting now)',
      End.optional(),
    ),
  }),
  subcommand('revoke', 'revoke a key; requests with this key are rejected within 30 seconds', {
    ...tableTarget,
    id,
  }),
]);

type KeyView = ReturnType<typeof viewOf>;
type KeysEvent =
  | ({ readonly event: 'created'; readonly key: string } & KeyView)
  /** A replaced or a revoked key. */
  | ({ readonly event: 'ends' | 'revoked' } & KeyView)
  | { readonly event: 'keys'; readonly keys: readonly KeyView[] };

export const verb = defineVerb<z.output<typeof options>, KeysEvent>({
  name: 'keys',
  description: `Creates and revokes API keys. A key is shown only once, when it is created. Its public id, which grants no access, is shown in lists of keys and in the audit log. A tenant has at most ${LIMITS.tenant.keys} active keys.`,
  options,
  inWords: (event) => {
    switch (event.event) {
      case 'created':
        return `${keyInWords(event)}\n\n  ${event.key}\n\nThe key is not shown again: keep it in a safe place.\n`;
      case 'ends':
        return `The old key: ${keyInWords(event)}\n`;
      case 'revoked':
        return `${keyInWords(event)}: works for at most 30 more seconds\n`;
      case 'keys':
        return event.keys.map((key) => `${keyInWords(key)}\n`).join('') || 'There are no keys.\n';
    }
  },
  run: async (given, report) => {
    const stack = await openStack(given);
    const now = await stack.now();
    const keys = createApiKeyStore(await stack.table());
    const ports = { keys, now, random: () => randomBytes(32), entryOf: () => undefined };
    const find = async (wanted: string) => {
      const found = (await keys.all()).find((key) => apiKeyId(key) === wanted);
      if (found !== undefined) return found;
      throw new UsageError(
        `there is no key ${wanted}; npm run operate -- keys list shows all keys`,
      );
    };
    try {
      switch (given.command) {
        case 'create': {
          const { tenant, name, scopes } = given;
          const expiresAt = endFrom(given.expires, now);
          const { key, record } = await createKey(ports, { tenant, name, scopes, expiresAt });
          report({ event: 'created', key, ...viewOf(record, now) });
          break;
        }
        case 'list': {
          const { tenant } = given;
          const meant = (await keys.all()).filter(
            (key) => tenant === undefined || key.tenant === tenant,
          );
          const sorted = meant.toSorted(byTenantAndAge);
          report({ event: 'keys', keys: sorted.map((key) => viewOf(key, now)) });
          break;
        }
        case 'rotate': {
          const ending = { expiresAt: endFrom(given.expires, now), overlap: given.overlap };
          const { issued, ended } = await rotateKey(ports, await find(given.id), ending);
          report({ event: 'created', key: issued.key, ...viewOf(issued.record, now) });
          report({ event: 'ends', ...viewOf(ended, now) });
          break;
        }
        case 'revoke':
          report({
            event: 'revoked',
            ...viewOf(await revokeKey(ports, await find(given.id)), now),
          });
      }
    } catch (error) {
      if (!(error instanceof KeyError)) throw error;
      throw new UsageError(error.message, { cause: error });
    }
    return 'done';
  },
});

function endFrom(end: End | undefined, now: Instant): Instant | undefined {
  if (end === undefined) return undefined;
  const instant = 'after' in end ? now + end.after : end.at;
  if (instant > now) return instant;
  throw new UsageError('--expires: expected a time in the future');
}

function byTenantAndAge(one: ApiKeyRecord, other: ApiKeyRecord): number {
  return one.tenant.localeCompare(other.tenant) || one.createdAt - other.createdAt;
}

function viewOf(key: ApiKeyRecord, now: Instant) {
  return {
    id: apiKeyId(key),
    tenant: key.tenant,
    name: key.name,
    scopes: key.scopes,
    state: keyState(key, now),
    createdAt: formatInstant(key.createdAt),
    endsAt: momentOf(endOfKey(key)),
  };
}

function keyInWords({ id, tenant, scopes, state, endsAt, name }: KeyView): string {
  const states = {
    live: endsAt === null ? 'does not expire' : `until ${endsAt}`,
    expired: `expired ${endsAt}`,
    revoked: `revoked ${endsAt}`,
  };
  return [id, tenant, scopes.join(','), states[state], name].join('  ');
}
