import { describe, expect, it } from 'vitest';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import type { TradeRecord } from '#shared/domain/archive/trade.ts';
import { contractOf } from '#shared/domain/market/contract.ts';
import { DAY, HOUR, type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import type { Provider } from '#shared/domain/market/provider.ts';
import type { Outcome, Refusal } from '#shared/domain/market/upstream.ts';
import { createSaleLog } from '#shared/stores/trade-store.ts';
import { keepingSales } from '#shared/use-cases/keep-sales.ts';
import type { MainUpstream, Sale, SalesRead } from '#shared/use-cases/upstream.ts';
import { aSale } from '#test/support/archive.ts';
import { NOON, PUNKS } from '#test/support/builders.ts';
import { createSeededRandom } from '#test/support/seeded-random.ts';

const { signal } = new AbortController();
const contract = contractOf(PUNKS);
/** The maximum number of sales that the market returns at once. */
const AT_MOST = 20;

function sold(price: number, time: Instant, given: Partial<TradeRecord> = {}, mark = ''): Sale {
  const { record } = aSale(price, time, given);
  return { time, price: BigInt(price), tokenIds: record.token_ids, record, mark };
}

/** A market that returns a limited number of sales, newest first, and a table that stores them. */
function world(sales: Sale[] = []) {
  let now = NOON;
  let refusal: Refusal | undefined;
  let reported = 0;
  const salesBetween = async (
    _contract: unknown,
    { from, to = now }: { readonly from: Instant; readonly to?: Instant | undefined },
  ): Promise<Outcome<SalesRead>> => {
    if (refusal !== undefined) return refusal;
    const within = sales
      .filter(({ time }) => time >= from && time <= to && time <= now)
      .toSorted((one, other) => other.time - one.time);
    const first = within.slice(0, AT_MOST);
    reported += first.length;
    const oldest = first.at(-1)?.time ?? from;
    return {
      kind: 'ok',
      value: { sales: first, since: within.length > AT_MOST ? oldest + SECOND : from },
    };
  };
  const lowestTrade: MainUpstream['lowestTrade'] = async () => {
    throw new Error('all sales of the window are asked for');
  };
  const provider = keepingSales(
    { salesBetween, lowestTrade },
    createSaleLog(createMemoryTable(), 'opensea'),
    () => now,
  );
  return {
    sales,
    lowest: (days = 7) => provider.lowestTrade(contract, days, 'lowestprice', signal),
    reported: () => reported,
    pass: (span: number) => {
      now += span;
    },
    refuse: (given: Refusal | undefined) => {
      refusal = given;
    },
  };
}

const priceIn = (outcome: Outcome<{ readonly price: bigint }>) =>
  outcome.kind === 'ok' ? outcome.value.price : outcome.kind;

describe('the lowest sale from stored sales', () => {
  it('finds the lowest sale by requesting only new sales', async () => {
    const sales = Array.from({ length: 15 }, (_, index) => sold(20 + index, NOON - index * HOUR));
    const { lowest, pass, reported } = world(sales);

    const first = priceIn(await lowest());
    pass(HOUR);
    sales.push(sold(7, NOON + MINUTE));
    const second = priceIn(await lowest());
    const before = reported();
    pass(HOUR);

    expect([first, second, priceIn(await lowest())]).toEqual([20n, 7n, 7n]);
    expect(reported() - before).toBe(0);
  });

  it('reports that the lowest sale is not ready until several answers have filled its window', async () => {
    const sales = Array.from({ length: 70 }, (_, index) =>
      sold(index === 65 ? 1 : 50, NOON - index * HOUR),
    );
    const { lowest, pass } = world(sales);

    const answers = [];
    for (let poll = 0; poll < 4; poll += 1) {
      answers.push(priceIn(await lowest()));
      pass(MINUTE);
    }

    expect(answers).toEqual(['not_ready', 'not_ready', 'not_ready', 1n]);
  });

  it('keeps the lower of two sales of an edition in one transaction by the same seller and buyer', async () => {
    const edition = { transaction_hash: '0xab', token_ids: ['5'] };
    const { lowest, pass } = world([
      sold(5, NOON - HOUR, edition),
      sold(10, NOON - HOUR, edition),
      sold(9, NOON - 2 * DAY),
    ]);

    const first = priceIn(await lowest());
    pass(DAY);

    expect([first, priceIn(await lowest())]).toEqual([5n, 5n]);
  });

  it('stores one trade for two providers, and two trades for two order hashes', async () => {
    const table = createMemoryTable();
    const edition = { transaction_hash: '0xab', token_ids: ['5'] };
    const span = { since: NOON - DAY, until: NOON };
    const keep = (provider: Provider, ...marks: readonly string[]) =>
      createSaleLog(table, provider).keep(
        PUNKS,
        marks.map((mark) => sold(5, NOON - HOUR, edition, mark)),
        span,
      );
    const kept = () => table.items().filter(({ sk }) => sk.startsWith('TRADE#')).length;

    await keep('opensea', '0xorder1');
    await keep('ethereum-node', '0');
    const reportedTwice = kept();
    await keep('opensea', '0xorder1', '0xorder2', '0xorder1');
    await keep('ethereum-node', '0', '1');

    expect([reportedTwice, kept()]).toEqual([1, 2]);
  });

  it('drops a sale when its window is over, until no sale is left', async () => {
    const { lowest, pass } = world([sold(3, NOON - 6 * DAY), sold(9, NOON - HOUR)]);

    const answers = [];
    for (let day = 0; day < 9; day += 1) {
      answers.push(priceIn(await lowest()));
      pass(DAY);
    }

    expect(answers).toEqual([3n, 3n, ...Array.from({ length: 5 }, () => 9n), 'empty', 'empty']);
  });

  it('drops a sale that a reorganization of the chain removed', async () => {
    const { sales, lowest, pass } = world([sold(9, NOON - HOUR)]);
    await lowest();
    sales.push(sold(1, NOON + MINUTE));
    pass(2 * MINUTE);
    const before = priceIn(await lowest());
    sales.pop();
    pass(MINUTE);
    const after = priceIn(await lowest());
    pass(DAY);

    expect([before, after, priceIn(await lowest())]).toEqual([1n, 9n, 9n]);
  });

  it('finds a sale that was reported minutes late', async () => {
    const { sales, lowest, pass } = world([sold(9, NOON - HOUR)]);
    await lowest();
    pass(12 * MINUTE);
    await lowest();
    sales.push(sold(1, NOON + MINUTE));
    pass(2 * MINUTE);
    const heard = priceIn(await lowest());
    pass(DAY);

    expect([heard, priceIn(await lowest())]).toEqual([1n, 1n]);
  });

  it('returns the rejection of the provider, and finds the lowest sale once it answers again', async () => {
    const { sales, lowest, pass, refuse } = world([sold(9, NOON - HOUR)]);
    await lowest();
    refuse({ kind: 'throttled' });
    sales.push(...Array.from({ length: 30 }, (_, index) => sold(4, NOON + index * HOUR)));
    pass(2 * DAY);
    const refused = await lowest();
    refuse(undefined);
    const answers = [priceIn(await lowest()), priceIn(await lowest())];

    expect(refused).toEqual({ kind: 'throttled' });
    expect(answers).toEqual(['not_ready', 4n]);
  });

  it('finds the lowest of all sales in the window for any sequence of requests', async () => {
    for (let seed = 1; seed <= 12; seed += 1) {
      const random = createSeededRandom(seed);
      const { sales, lowest, pass } = world();
      let now = NOON;
      for (let step = 0; step < 40; step += 1) {
        const span = random.pick([MINUTE, 20 * MINUTE, 5 * HOUR, DAY, 3 * DAY]);
        const begun = now;
        now += span;
        pass(span);
        for (let count = random.below(25); count > 0; count -= 1) {
          const time = begun + random.below(span / SECOND) * SECOND;
          sales.push(sold(1 + random.below(40), time));
        }
        const days = random.pick([1, 7]);
        const answer = await lowest(days);
        if (answer.kind === 'not_ready') continue;
        const prices = sales.flatMap(({ time, price }) =>
          time >= now - days * DAY ? [price] : [],
        );
        const least = prices.toSorted((a, b) => Number(a - b))[0];
        expect(priceIn(answer), `seed ${seed}, step ${step}`).toBe(least ?? 'empty');
      }
    }
  });
});
