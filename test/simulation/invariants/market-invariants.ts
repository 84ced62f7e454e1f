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

  const checkValues = (item: Item) => {
    for (const part of Object.keys(item.parts as object)) {
      const report = reportedValues.get(`${item.sk} ${part}`);
      const known = newestIn(item, part);
      if (report === undefined || known === undefined) continue;
      const isDone = report.at < now() - LONGEST_CALL && report.by.disturbance === undefined;
      if (!isDone || known.p === report.price) continue;
      const what = `${item.sk} ${part}: ${known.p}, not ${report.price}`;
      broken('the value that was reported last is known', what);
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
        const floor = newestIn(item, 'reported');
        const isDone = report.at < now() - LONGEST_CALL && report.by.disturbance === undefined;
        if (floor === undefined || !isDone) continue;
        const { t, p } = floor;
        // A floor of traits has no time of its own: an unchanged one keeps that of its first report.
        const isTheSame = t === report.time || item.sk.includes('?');
        if (t > report.time || (isTheSame && p === report.price)) continue;
        // A floor that was reported before its time counts with the next poll.
        if (aheadIn(item).some((one) => one.t === report.time && one.p === report.price)) continue;
        broken('what was reported last is known', `${item.sk}: ${p} of ${t}, not ${report.price}`);
      }
    },
  };
}

/** By then what was reported is committed. */
const LONGEST_CALL = 60_000;

type EncodedReading = Readonly<Record<string, { readonly t: Instant; readonly p?: string }>>;

type ContractItem = {
  readonly reading?: EncodedReading;
  readonly ahead?: readonly { readonly t: Instant; readonly p?: string }[];
  readonly steps?: readonly { readonly points?: EncodedReading }[];
};

function aheadIn(item: Item) {
  return (item as unknown as ContractItem).ahead ?? [];
}

/** The newest point of a series, which may wait in a step. */
function newestIn(item: Item, series: string) {
  const { reading, steps = [] } = item as unknown as ContractItem;
  const waiting = steps.findLast(({ points }) => points?.[series] !== undefined);
  return waiting?.points?.[series] ?? reading?.[series];
}
