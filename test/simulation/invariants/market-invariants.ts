import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { FloorPage, LowestTrade, Outcome } from '#shared/domain/market/upstream.ts';
import type { Item } from '#shared/stores/table.ts';
import type { Invocation } from '#test/simulation/services/sandbox.ts';

/** The newest floor that a poll received. */
type Reported = {
  readonly at: Instant;
  readonly time: Instant;
  readonly price: string;
  readonly by: Invocation;
};

/**
 * The last answer about a sale, an offer or a statistic. `price` is undefined if there was no sale,
 * offer or statistic.
 */
type SaleReport = Pick<Reported, 'at' | 'by'> & { readonly price: string | undefined };

/**
 * Checks that the stored values of a contract equal the last answers of the market, once the system
 * is idle.
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
    for (const series of Object.keys(item.series as object)) {
      const report = reportedValues.get(`${item.sk} ${series}`);
      const known = newestIn(item, series);
      if (report === undefined || known === undefined) continue;
      const isDone = report.at < now() - LONGEST_CALL && report.by.disturbance === undefined;
      if (!isDone || known.p === report.price) continue;
      const what = `${item.sk} ${series}: ${known.p}, not ${report.price}`;
      broken('the last reported value is stored', what);
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
      for (const [series, { value }] of Object.entries(outcome.value.statistics ?? {})) {
        reportedValues.set(`${contract} ${series}`, { at: now(), price: value.toString(), by });
      }
      const [newest] = outcome.value.points.toSorted((a, b) => b.time - a.time);
      if (newest === undefined) return;
      const { time, price } = newest;
      reported.set(contract, { at: now(), time, price: price.toString(), by });
    },

    atRest: (items: readonly Item[]) => {
      // A poll with an outdated cached record may miss a change until the next poll, which the
      // budget may delay.
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
        // The floor of a trait has no time. An unchanged floor of a trait keeps the time of its
        // first report.
        const isTheSame = t === report.time || item.sk.includes('?');
        if (t > report.time || (isTheSame && p === report.price)) continue;
        // A floor dated in the future takes effect with the first poll after its time.
        if (aheadIn(item).some((one) => one.t === report.time && one.p === report.price)) continue;
        broken(
          'the last reported floor is stored',
          `${item.sk}: ${p} of ${t}, not ${report.price}`,
        );
      }
    },
  };
}

/** Maximum time from an answer to its commit. */
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
