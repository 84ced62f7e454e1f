import { isDeepStrictEqual } from 'node:util';
import { CANARY, CANARY_LINE, CANARY_LIST } from '#shared/domain/market/canary.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { revise, type Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import { WatchlistBody } from '#shared/domain/watchlists/watchlist-body.ts';
import { uniqueNumber } from '#shared/runtime/unique-number.ts';
import { createCadenceStore } from '#shared/stores/cadence-store.ts';
import { createChangeCommit } from '#shared/stores/change-commit.ts';
import { createJobStore } from '#shared/stores/job-store.ts';
import { createMuteStore } from '#shared/stores/mute-store.ts';
import { createQuotaUsageStore } from '#shared/stores/quota-usage-store.ts';
import type { Table } from '#shared/stores/table.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import { writeWatchlist } from '#shared/use-cases/write-watchlist.ts';

const SETUP = { id: 'setup', name: 'npm run operate -- setup' };

export type KeepCanary = {
  readonly table: Table;
  readonly now: () => Instant;
  readonly cadenceMinutes: number;
  /** The ARN of the queue to which the canary's messages return. */
  readonly queue: string;
};

/**
 * Writes the list of the canary into the table of a stack if the list is missing or differs. It
 * sends no message, because the stack's next ticks apply a changed list.
 */
export async function keepCanary({ table, now, cadenceMinutes, queue }: KeepCanary): Promise<void> {
  const watchlists = createWatchlistStore(table);
  const before = await watchlists.get(CANARY_LIST);
  const after = listTo(queue, before);
  if (before !== undefined && isSame(before, after)) return;
  await writeWatchlist<typeof CANARY_LIST.tenant>(
    {
      ...{ now, newVersion: uniqueNumber, configuredCadenceMinutes: cadenceMinutes },
      getCadences: createCadenceStore(table).cadences,
      getWatchlist: watchlists.get,
      getMutes: createMuteStore(table).get,
      getQuotaUsage: createQuotaUsageStore(table).get,
      getJob: createJobStore(table).get,
      commitChange: createChangeCommit(table),
      sendToContracts: async () => {},
      sendToLists: async () => {},
      report: (event) => {
        throw new Error(
          `the canary's watchlist was written, but a later step failed (${event}): repeat the command`,
        );
      },
    },
    SETUP,
    before,
    { ...after, tenant: CANARY_LIST.tenant },
  );
}

/**
 * The list has two rules: one fires each midnight, the other fires as soon as the list is created.
 */
function listTo(queue: string, before: Watchlist | undefined): Watchlist {
  const rule = { metric: 'floor_price', threshold: CANARY_LINE, severity: 'info' };
  const body = WatchlistBody.parse({
    name: 'Canary',
    contracts: [{ contract: CANARY, name: 'Canary' }],
    rules: [
      { ...rule, id: 'low', when: 'below' },
      { ...rule, id: 'high', when: 'above' },
    ],
  });
  return revise(CANARY_LIST, before, body, [{ id: 'back', kind: 'sqs', queue }]);
}

/** Whether two lists are equal except for their revisions. */
function isSame(before: Watchlist, after: Watchlist): boolean {
  const written = ({ revision: _revision, change: _change, ...list }: Watchlist) => list;
  return isDeepStrictEqual(written(before), written(after));
}
