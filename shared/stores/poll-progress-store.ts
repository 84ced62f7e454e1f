import * as z from 'zod';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { Provider } from '#shared/domain/market/provider.ts';
import type { Charge, PollProgress } from '#shared/domain/polling/poll-progress.ts';
import { rateLimiterItem } from './rate-limiter-store.ts';
import { readItem } from './read-item.ts';
import type { Item, Key, Table } from './table.ts';

export type PollProgressStore = {
  readonly get: () => Promise<PollProgress | undefined>;
  /**
   * Writes the progress if the stored version is unchanged; returns it with its new version. With a
   * charge, progress and charge are written in one transaction.
   */
  readonly put: (progress: PollProgress, charge?: Charge) => Promise<PollProgress>;
};

const PROGRESS: Key = { pk: 'DISPATCH#0', sk: 'PROGRESS' };

export function createPollProgressStore(table: Table): PollProgressStore {
  return {
    get: async () => {
      const item = await table.get(PROGRESS);
      return item === undefined ? undefined : readItem('pollProgress', ProgressItem, item);
    },

    put: async (progress, charge) => {
      const written = { ...progress, version: progress.version + 1 };
      const item = toItem(written);
      if (charge === undefined) await table.put(item, progress.version);
      else {
        const { provider, rateLimiter } = charge;
        await table.transact([
          { put: item, version: progress.version },
          { put: rateLimiterItem(provider, rateLimiter), version: rateLimiter.version },
        ]);
      }
      return written;
    },
  };
}

const PerTenant = z.lazy(() =>
  z.record(z.string(), z.number()).transform((units) => new Map(Object.entries(units))),
);

export const ProgressItem = z.lazy(() =>
  z.object({
    version: z.int(),
    tickedAt: z.int().optional(),
    polledUntil: z.int(),
    claim: z.object({ until: z.int(), expiresAt: z.int() }).optional(),
    again: z.array(ContractKey),
    fallback: Provider.optional(),
    spending: z.object({ day: z.string(), inDay: PerTenant, inMonth: PerTenant }).optional(),
  }),
);

function toItem({ spending, ...progress }: PollProgress): Item {
  if (spending === undefined) return { ...PROGRESS, ...progress };
  const { day, inDay, inMonth } = spending;
  const spent = { day, inDay: Object.fromEntries(inDay), inMonth: Object.fromEntries(inMonth) };
  return { ...PROGRESS, ...progress, spending: spent };
}
