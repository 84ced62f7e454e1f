import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { FloorPage, LowestTrade, Outcome } from '#shared/domain/market/upstream.ts';
import type { Item } from '#shared/stores/table.ts';
import type { Invocation } from '#test/simulation/services/sandbox.ts';

/** What somebody was reported of a contract's floors. */
type Reported = {
  readonly at: Instant;
  readonly time: Instant;
  readonly price: string;
  readonly by: Invocation;
};

/** The last answer about a series of latest values; no price where there was none. */
type SaleReport = Pick<Reported, 'at' | 'by'> & { readonly price: string | undefined };

/**
 * Holds what is known of a contract, when all has come to rest, against what the market reported
 * last.
 */
export function createMarketInvariants({
  now,
  broken,
}: {
  readonly now: () => Instant;
  readonly broken: (invariant: string, what: string) => void;
}) {
  const reported = new Map<ContractKey, Reported>();
  const reportedValues = new Map<string, SaleReport>();

  const checkValues = ({ sk, parts }: Item) => {
    for (const [part, known] of Object.entries(parts as ContractItem['parts'])) {
      const report = reportedValues.get(`${sk} ${part}`);
      if (report === undefined || known.at === undefined) continue;
      const isDone = report.at < now() - LONGEST_CALL && report.by.disturbance === undefined;
      if (!isDone || known.at.p === report.price) continue;
      broken(
        'the value that was reported last is known',
        `${sk}: ${known.at.p}, not ${report.price}`,
      );
    }
  };

  return {
    valueReported: (
      contract: ContractKey,
      series: string,
      outcome: Outcome<Pick<LowestTrade, 'price'>>,
      by: Invocation,
    ) => {
      if (outcome.kind !== 'ok' && outcome.kind !== 'empty') return;
      const price = outcome.kind === 'ok' ? outcome.value.price.toString() : undefined;
      reportedValues.set(`${contract} ${series}`, { at: now(), price, by });
    },

    floorReported: (contract: ContractKey, outcome: Outcome<FloorPage>, by: Invocation) => {
      if (outcome.kind !== 'ok') return;
      for (const [part, { value }] of Object.entries(outcome.value.statistics ?? {})) {
        reportedValues.set(`${contract} ${part}`, { at: now(), price: value.toString(), by });
      }
      const [newest] = outcome.value.points.toSorted((a, b) => b.time - a.time);
      if (newest === undefined) return;
      const { time, price } = newest;
      reported.set(contract, { at: now(), time, price: price.toString(), by });
    },

    atRest: (items: readonly Item[]) => {
      // What a poll with an old hint took for no news the next one reports: the budget may put it
      // off.
      const cadences = items.find(({ pk, sk }) => pk === 'UPSTREAM' && sk === 'CADENCES');
      if (Object.keys(cadences?.stretched ?? {}).length > 0) return;
      for (const item of items) {
        if (item.pk.startsWith('CONTRACTS#')) checkValues(item);
        const report = reported.get(item.sk as ContractKey);
        if (!item.pk.startsWith('CONTRACTS#') || report === undefined) continue;
        const { floor } = (item as unknown as ContractItem).parts;
        const isDone = report.at < now() - LONGEST_CALL && report.by.disturbance === undefined;
        if (floor?.at === undefined || !isDone) continue;
        const { t, p } = floor.at;
        if (t === report.time ? p === report.price : t > report.time) continue;
        broken('what was reported last is known', `${item.sk}: ${p} of ${t}, not ${report.price}`);
      }
    },
  };
}

/** By then what was reported is committed. */
const LONGEST_CALL = 60_000;

type ContractItem = {
  readonly parts: Readonly<
    Record<string, { readonly at?: { readonly t: Instant; readonly p?: string } }>
  >;
};
