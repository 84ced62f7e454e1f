import * as z from 'zod';
import { UpstreamCall } from '#shared/domain/market/operations.ts';
import type { Provider } from '#shared/domain/market/provider.ts';
import { omit } from '#shared/domain/omit.ts';
import type { RateLimiterRecord } from '#shared/domain/polling/rate-limiter.ts';
import { newRateLimiterRecord } from '#shared/domain/polling/rate-limiter.ts';
import { UpstreamUser } from '#shared/domain/polling/upstream-limits.ts';
import { expectKnownShape } from './read-item.ts';
import type { Item, Key, Table } from './table.ts';

/** The shared usage record of a provider's rate limiter. */
export type RateLimiterStore = {
  readonly get: () => Promise<RateLimiterRecord>;
  /** Writes the record if the stored version is unchanged; returns it with its new version. */
  readonly put: (record: RateLimiterRecord) => Promise<RateLimiterRecord>;
};

export function createRateLimiterStore(table: Table, provider: Provider): RateLimiterStore {
  return {
    get: async () => {
      const item = await table.get(keyOf(provider));
      return item === undefined ? newRateLimiterRecord() : readRateLimiter(item);
    },

    put: async (record) => {
      await table.put(rateLimiterItem(provider, record), record.version);
      return { ...record, version: record.version + 1 };
    },
  };
}

/** The item that stores the record with its next version. */
export function rateLimiterItem(provider: Provider, record: RateLimiterRecord): Item {
  return { ...keyOf(provider), ...record, version: record.version + 1 };
}

function keyOf(provider: Provider): Key {
  return { pk: 'UPSTREAM', sk: `RATE_LIMITER#${provider}` };
}

const PerUser = z.lazy(() => z.looseObject({ polling: z.number(), interface: z.number() }));

const Breaker = z.lazy(() =>
  z.looseObject({
    reason: z.string(),
    openedAt: z.number(),
    probeAt: z.number(),
    probes: z.int(),
  }),
);

/** Matches the member names of this version. Members with other names stay unchanged. */
const known = (...parts: readonly (readonly string[])[]) =>
  z.string().regex(new RegExp(`^${parts.map((names) => `(${names.join('|')})`).join('')}$`));
const CALLS = UpstreamCall.options;

/** The stored record. Unknown members of other versions are read and written back unchanged. */
export const RateLimiterItem = z.lazy(() =>
  z.looseObject({
    version: z.int(),
    nextCallAt: PerUser,
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

export function readRateLimiter(item: Item): RateLimiterRecord {
  expectKnownShape('rateLimiter', item);
  const attributes = omit(item, 'pk', 'sk', 'v');
  return RateLimiterItem.parse(attributes);
}
