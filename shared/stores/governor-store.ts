import * as z from 'zod';
import { UpstreamCall } from '#shared/domain/market/operations.ts';
import type { Provider } from '#shared/domain/market/provider.ts';
import { omit } from '#shared/domain/omit.ts';
import type { GovernorRecord } from '#shared/domain/polling/governor.ts';
import { newGovernorRecord } from '#shared/domain/polling/governor.ts';
import { UpstreamUser } from '#shared/domain/polling/upstream-limits.ts';
import { expectKnownShape } from './read-item.ts';
import type { Item, Key, Table } from './table.ts';

/** The one shared account of the use of a provider. */
export type GovernorStore = {
  readonly get: () => Promise<GovernorRecord>;
  /**
   * Writes the record while its version is still the one it carries; returns it with its new
   * version.
   */
  readonly put: (record: GovernorRecord) => Promise<GovernorRecord>;
};

export function createGovernorStore(table: Table, provider: Provider): GovernorStore {
  return {
    get: async () => {
      const item = await table.get(keyOf(provider));
      return item === undefined ? newGovernorRecord() : readGovernor(item);
    },

    put: async (record) => {
      await table.put(governorItem(provider, record), record.version);
      return { ...record, version: record.version + 1 };
    },
  };
}

/** The item that replaces the record. */
export function governorItem(provider: Provider, record: GovernorRecord): Item {
  return { ...keyOf(provider), ...record, version: record.version + 1 };
}

function keyOf(provider: Provider): Key {
  return { pk: 'UPSTREAM', sk: `GOVERNOR#${provider}` };
}

const PerUser = z.looseObject({ polling: z.number(), interface: z.number() });

const Breaker = z.looseObject({
  reason: z.string(),
  openedAt: z.number(),
  probeAt: z.number(),
  probes: z.int(),
});

/** The names that this version knows; members of other names are left as they are. */
const known = (...parts: readonly (readonly string[])[]) =>
  z.string().regex(new RegExp(`^${parts.map((names) => `(${names.join('|')})`).join('')}$`));
const CALLS = UpstreamCall.options;

/** What only another version knows is read and written back: no member of its own stops this one. */
export const GovernorItem = z.lazy(() =>
  z.looseObject({
    version: z.int(),
    nextSlotAt: PerUser,
    spent: z.looseObject({
      ...{ day: z.string(), inDay: PerUser, inMonth: PerUser },
      ...{ hour: z.string().exactOptional(), inHour: PerUser.exactOptional() },
    }),
    blockedUntil: z.number().exactOptional(),
    slowed: z.object({ callsPerSecond: z.number(), at: z.number() }).exactOptional(),
    breakers: z.looseRecord(
      known(UpstreamUser.options, ['', ...CALLS.map((call) => `:${call}`)]),
      Breaker,
    ),
    retired: z.looseRecord(known(CALLS), z.number()),
  }),
);

export function readGovernor(item: Item): GovernorRecord {
  expectKnownShape('governor', item);
  const attributes = omit(item, 'pk', 'sk', 'v');
  return GovernorItem.parse(attributes);
}
