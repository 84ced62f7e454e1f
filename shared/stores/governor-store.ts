import * as z from 'zod';
import { SECOND } from '#shared/domain/market/instant.ts';
import type { GovernorRecord } from '#shared/domain/polling/governor.ts';
import { newGovernorRecord } from '#shared/domain/polling/governor.ts';
import { UpstreamCall, UpstreamUser } from '#shared/domain/polling/upstream-limits.ts';
import type { Item, Table } from './table.ts';

/** The one shared account of the use of the upstream, and the cadence that follows from it. */
export type GovernorStore = {
  readonly get: () => Promise<GovernorRecord>;
  /** Writes the record while its version is still the one it carries; tells it with its new version. */
  readonly put: (record: GovernorRecord) => Promise<GovernorRecord>;
  /** Minutes between two polls of a contract, as the dispatcher last worked them out. */
  readonly cadence: () => Promise<number | undefined>;
  readonly noteCadence: (minutes: number) => Promise<void>;
};

/** For how long a reader may remember the cadence: a tick may change it, once a minute. */
export const CADENCE_KEPT_FOR = 10 * SECOND;

const PK = 'UPSTREAM';
const GOVERNOR = { pk: PK, sk: 'GOVERNOR' };
const CADENCE = { pk: PK, sk: 'CADENCE' };

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

    cadence: async () => {
      const item = await table.get(CADENCE);
      return item === undefined ? undefined : CadenceItem.parse(item).minutes;
    },

    noteCadence: (minutes) => table.put({ ...CADENCE, minutes }),
  };
}

const CadenceItem = z.object({ minutes: z.number() });

const PerUser = z.record(UpstreamUser, z.number());

const Breaker = z.lazy(() =>
  z.object({
    reason: z.string(),
    openedAt: z.number(),
    probeAt: z.number(),
    probes: z.int(),
  }),
);

const GovernorItem = z.lazy(() =>
  z.object({
    version: z.int(),
    nextSlotAt: PerUser,
    spent: z.object({ day: z.string(), inDay: PerUser, inMonth: PerUser }),
    blockedUntil: z.number().optional(),
    slowed: z.object({ callsPerSecond: z.number(), at: z.number() }).optional(),
    breakers: z.object({ polling: Breaker.exactOptional(), interface: Breaker.exactOptional() }),
    retired: z.partialRecord(UpstreamCall, z.number()),
  }),
);

function fromItem(item: Item): GovernorRecord {
  const { blockedUntil, slowed, retired, ...record } = GovernorItem.parse(item);
  return {
    ...record,
    retired: Object.fromEntries(
      Object.entries(retired).flatMap(([call, until]) =>
        until === undefined ? [] : [[call, until]],
      ),
    ),
    ...(blockedUntil === undefined ? {} : { blockedUntil }),
    ...(slowed === undefined ? {} : { slowed }),
  };
}
