import * as z from 'zod';
import { SECOND } from '#shared/domain/market/instant.ts';
import { Provider } from '#shared/domain/market/provider.ts';
import { type Cadences, NO_CADENCES } from '#shared/domain/polling/cadences.ts';
import type { GovernorRecord } from '#shared/domain/polling/governor.ts';
import { newGovernorRecord } from '#shared/domain/polling/governor.ts';
import { UpstreamCall, UpstreamUser } from '#shared/domain/polling/upstream-limits.ts';
import type { Item, Table } from './table.ts';

/** The one shared account of the use of the upstream, and the cadence that follows from it. */
export type GovernorStore = {
  readonly get: () => Promise<GovernorRecord>;
  /**
   * Writes the record while its version is still the one it carries; returns it with its new
   * version.
   */
  readonly put: (record: GovernorRecord) => Promise<GovernorRecord>;
  /** How often contracts are polled, as the dispatcher last worked it out. */
  readonly cadences: () => Promise<Cadences>;
  readonly noteCadences: (cadences: Cadences) => Promise<void>;
};

/** For how long a reader may remember the cadences: a tick may change it, once a minute. */
export const CADENCE_KEPT_FOR = 10 * SECOND;

const PK = 'UPSTREAM';
const GOVERNOR = { pk: PK, sk: 'GOVERNOR' };
const CADENCES = { pk: PK, sk: 'CADENCES' };

export function createGovernorStore(table: Table): GovernorStore {
  return {
    get: async () => {
      const item = await table.get(GOVERNOR);
      return item === undefined ? newGovernorRecord() : fromItem(item);
    },

    put: async (record) => {
      const written = { ...record, version: record.version + 1 };
      await table.put({ ...GOVERNOR, ...written }, record.version);
      return written;
    },

    cadences: async () => {
      const item = await table.get(CADENCES);
      return item === undefined ? NO_CADENCES : CadencesItem.parse(item);
    },

    noteCadences: (cadences) => table.put({ ...CADENCES, ...cadences }),
  };
}

const PerTenant = z.record(z.string(), z.number());

const CadencesItem = z.object({
  stretched: PerTenant,
  capacity: z.number().optional(),
  contracts: PerTenant,
});

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
const GovernorItem = z.lazy(() =>
  z.looseObject({
    version: z.int(),
    provider: Provider.exactOptional(),
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

function fromItem({ pk: _pk, sk: _sk, ...item }: Item): GovernorRecord {
  return GovernorItem.parse(item);
}
