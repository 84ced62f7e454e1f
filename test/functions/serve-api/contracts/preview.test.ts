import { describe, expect, it } from 'vitest';
import type { ReadContractsPorts } from '#functions/serve-api/contracts/ports.ts';
import { SCHEMAS } from '#shared/channels/kinds.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { DAY, formatInstant, HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import type { FloorPoint } from '#shared/domain/market/upstream.ts';
import {
  APES,
  anAnsweredRecord,
  aPrice,
  aTrade,
  aWatchlist,
  eth,
  NOON,
  PUNKS,
} from '#test/support/builders.ts';
import { world } from './world.ts';

const PREVIEW = 'POST /v1/rules/preview';
const below60 = { id: 'low', metric: 'floor_price', when: 'below', threshold: '60' };

/** Floors, keyed by hours before noon. */
const floors = (prices: Readonly<Record<number, string>>) =>
  Object.entries(prices).map(([hours, price]) =>
    aPrice(price, { time: NOON - Number(hours) * HOUR, usd: eth('1000') }),
  );

/** A world with these recorded floors. */
async function recorded(prices: Readonly<Record<number, string>>) {
  const fixture = await watching();
  await fixture.history.record(PUNKS, 'floor', floors(prices).toReversed());
  return fixture;
}

/** A world whose tenant watches the Punks. */
async function watching(ports: Partial<ReadContractsPorts> = {}) {
  const fixture = world(ports);
  await fixture.watchlists.put(aWatchlist());
  return fixture;
}

const bodyOf = (rule: object, given: object = {}) => ({
  body: { rule, contracts: [PUNKS], days: 1, ...given },
});

/** The preview of a rule on a single contract. */
async function previewIn({ ask }: ReturnType<typeof world>, rule: object, given: object = {}) {
  const { status, body } = await ask(PREVIEW, { scopes: 'read', ...bodyOf(rule, given) });
  expect(status, JSON.stringify(body)).toBe(200);
  return { ...body.contracts[0], notes: body.notes };
}

const kinds = (alerts: readonly { readonly kind: string; readonly dataTime: string }[]) =>
  alerts.map(({ kind, dataTime }) => `${kind} ${(NOON - Date.parse(dataTime)) / HOUR}`);

describe('a preview of a gain', () => {
  const profit = { id: 'profit', metric: 'gain', when: 'above', threshold: '20' };

  it('a preview of a gain uses the cost in the request', async () => {
    const here = await recorded({ 26: '55', 20: '60', 15: '60.1', 10: '59' });
    const contracts = [{ contract: PUNKS, amount: 2, cost: { price: '50' } }];

    const { alerts } = await previewIn(here, profit, { contracts });

    expect(kinds(alerts)).toEqual(['fired 20', 'recovered 10']);
    expect(alerts[0]).toMatchObject({ value: '20', unit: 'eth' });
  });

  it('a preview of a gain is refused without a cost', async () => {
    const here = await watching();

    const { status, body } = await here.ask(PREVIEW, { scopes: 'read', ...bodyOf(profit) });

    expect([status, body.errors]).toEqual([
      400,
      [{ pointer: '/contracts/0', detail: expect.stringContaining('a contract with a "cost"') }],
    ]);
  });
});

describe('a preview of a list value', () => {
  const less = { id: 'less', metric: 'list_value', when: 'below', threshold: '110' };

  it('a preview of a list value replays the value of the tokens in the request', async () => {
    const here = await recorded({ 26: '60', 20: '55', 15: '60' });

    const preview = await previewIn(here, less, { contracts: [{ contract: PUNKS, amount: 2 }] });

    expect(kinds(preview.alerts)).toEqual(['fired 20', 'recovered 15']);
    expect(preview.alerts[0]).toMatchObject({ value: '110', unit: 'eth' });
  });

  it('a preview of a list value is refused for contracts without an amount', async () => {
    const here = await watching();

    const { status, body } = await here.ask(PREVIEW, { scopes: 'read', ...bodyOf(less) });

    const detail = expect.stringContaining('a contract with an "amount"');
    expect([status, body.errors]).toEqual([400, [{ pointer: '/contracts', detail }]]);
  });
});

describe('a preview of a contract that only others watch', () => {
  it('a preview reveals nothing about a contract that only other tenants watch', async () => {
    const others = world();
    await others.history.record(PUNKS, 'floor', floors({ 30: '75', 5: '30' }).toReversed());
    await others.history.record(PUNKS, 'lowest.7d', [aTrade('50', NOON - 9 * HOUR)]);
    await others.contracts.put({ ...anAnsweredRecord('floor', aPrice('30')), version: 0 });
    const unwatched = world();
    const sale = { metric: 'lowest_price.7d', when: 'below', threshold: '60' };

    for (const rule of [below60, sale]) {
      expect(await previewIn(others, rule)).toEqual(await previewIn(unwatched, rule));
    }
  });

  it('a preview of a ratio does not reveal that another tenant watches the ratio', async () => {
    const ratio: ContractKey = `${PUNKS}~${APES}`;
    const rule = { id: 'fifth', metric: 'floor_ratio', when: 'below', threshold: '0.2' };
    const contracts = [{ contract: PUNKS, of: APES }];
    const point = aPrice('0.1', { currency: 'ratio' });
    const both = async () => {
      const here = world();
      await here.watchlists.put(aWatchlist({ contracts: [PUNKS, APES], rules: [] }));
      return here;
    };
    const watched = await both();
    const record = { ...anAnsweredRecord('floor', point), contract: ratio, version: 0 };
    await watched.contracts.put(record);

    const preview = await previewIn(watched, rule, { contracts });

    expect(preview).toEqual(await previewIn(await both(), rule, { contracts }));
  });

  it("a preview of a contract on no list uses the provider's floors, and a note reports this", async () => {
    const [point] = floors({ 5: '30' });
    const fixture = { time: NOON - 5 * HOUR, price: eth('30'), currency: 'eth', marketplaces: [] };
    const here = world({
      floorHistory: async () => ({ kind: 'ok', value: { points: [fixture] } }),
    });
    await here.history.record(PUNKS, 'floor', point === undefined ? [] : [point]);

    const { counts, history, notes } = await previewIn(here, below60);

    expect({ counts, history, notes }).toMatchObject({
      history: [{ points: 1, recorded: 0, backFilled: 1 }],
      notes: [expect.stringContaining('on none of your lists')],
    });
  });
});

describe('a preview of statistics', () => {
  const volume = { id: 'busy', metric: 'volume.1d', when: 'above', threshold: '30' };
  const average = { id: 'cheap', metric: 'average_price.7d', when: 'below', threshold: '0.8' };
  /** Recorded values, keyed by hours before noon. */
  const values = (unit: string, given: Readonly<Record<number, string>>) =>
    Object.entries(given)
      .map(([hours, value]) => aPrice(value, { time: NOON - Number(hours) * HOUR, currency: unit }))
      .toReversed();

  it('a previewed rule fires when the recorded volume reaches the threshold, even from 0', async () => {
    const here = await watching({ provider: 'opensea' });
    const recorded = { 30: '12', 20: '31.5', 16: '0', 8: '30', 4: '29.9' };
    await here.history.record(PUNKS, 'volume.1d', values('eth', recorded));

    const { alerts, notTested, messages } = await previewIn(here, volume);

    expect(notTested).toBeNull();
    expect(kinds(alerts)).toEqual(['fired 20', 'recovered 16', 'fired 8', 'recovered 4']);
    expect(JSON.stringify(messages)).toContain('volume in 1 day above 30 ETH');
  });

  it('a preview divides the recorded volume by the recorded sales, and skips times without a sale', async () => {
    const here = await watching({ provider: 'opensea' });
    const traded = { 20: '8', 12: '0', 8: '7', 4: '9' };
    const sold = { 20: '8', 12: '0', 8: '10', 4: '10' };
    await here.history.record(PUNKS, 'volume.7d', values('eth', traded));
    await here.history.record(PUNKS, 'sales.7d', values('sales', sold));

    const { alerts } = await previewIn(here, average);

    expect(kinds(alerts)).toEqual(['fired 8', 'recovered 4']);
    expect(alerts[0].facts).toContainEqual({ name: 'Sales in 7 days', value: '10 sales' });
  });

  it.each([volume, average])(
    'a preview of $metric reports "not tested" if no statistics are recorded',
    async (rule) => {
      const here = await watching({ provider: 'opensea' });

      const { notTested, counts } = await previewIn(here, rule);

      expect([notTested, counts]).toEqual(['not tested: no statistics recorded', null]);
    },
  );

  it('a preview of statistics is refused if the provider reports none', async () => {
    const here = await watching({ provider: 'nft-data' });

    const { status, body } = await here.ask(PREVIEW, { scopes: 'read', ...bodyOf(volume) });

    expect(status).toBe(400);
    expect(body.errors).toEqual([
      {
        pointer: '/rule/metric',
        detail: expect.stringMatching(
          /^expected a metric that the data provider reports; .* reports no volume$/,
        ),
      },
    ]);
  });
});

it('a preview shows the last alert as each kind of channel would', async () => {
  const here = await recorded({ 20: '61', 10: '59', 8: '70', 5: '58' });

  const { alerts, messages } = await previewIn(here, below60);
  const none = await previewIn(here, { ...below60, threshold: '10' });

  const last = alerts.at(-1);
  const sent = new Map<string, object>(
    messages.map(({ kind, message }: { kind: string; message: object }) => [kind, message]),
  );
  expect([...sent.keys()].toSorted()).toEqual(Object.keys(SCHEMAS).toSorted());
  expect(last).toMatchObject({ kind: 'fired', value: '58' });
  expect(sent.get('webhook')).toEqual(last);
  for (const [kind, message] of sent) expect(JSON.stringify(message), kind).toContain('58');
  expect(sent.get('email')).toMatchObject({ subject: expect.stringContaining('below 60 ETH') });
  expect(none.messages).toBeNull();
});

it("a preview reports that today's calls of the tenant are used up, and fetches no page", async () => {
  let pages = 0;
  const floorHistory = async () => {
    pages += 1;
    return { kind: 'not_ready' as const };
  };
  const here = world({ floorHistory, takeCall: async () => 3600 });

  const { backFill } = await previewIn(here, below60);

  expect(backFill.trouble).toContain('has used its daily share');
  expect(pages).toBe(0);
});

describe('a preview', () => {
  it('a preview lists the prices that the rule would ignore: outlier floors and dust sales', async () => {
    const fixture = await recorded({ 30: '75', 20: '41', 10: '74', 5: '30' });
    const sales = [aTrade('0.00000013', NOON - 40 * HOUR), aTrade('50', NOON - 9 * HOUR)];
    await fixture.history.record(PUNKS, 'lowest.1d', sales);
    const cheapSale = { metric: 'lowest_price.1d', when: 'below', threshold: '60' };

    const floor = await previewIn(fixture, below60, { days: 2 });
    const taken = await previewIn(fixture, { ...below60, outliers: 'take' }, { days: 2 });
    const sale = await previewIn(fixture, cheapSale, { days: 2 });

    const at = (hours: number) => new Date(NOON - hours * HOUR).toISOString();
    const outlier = { series: 'floor', why: 'outlier', currency: 'eth' };
    const dust = { series: 'lowest.1d', why: 'below', currency: 'eth' };
    expect([floor.counts.fired, floor.ignored]).toEqual([
      0,
      [
        { ...outlier, time: at(20), price: '41' },
        { ...outlier, time: at(5), price: '30' },
      ],
    ]);
    expect([taken.counts.fired, taken.ignored]).toEqual([2, []]);
    expect([sale.counts.fired, sale.ignored]).toEqual([
      1,
      [{ ...dust, time: at(40), price: '0.00000013' }],
    ]);
  });

  it('a preview of a rule with minSources ignores recorded floors that no second source confirmed', async () => {
    const fixture = await watching();
    const points = floors({ 9: '61', 7: '50', 5: '59', 3: '58' }).map((floor) =>
      floor.price === eth('50') || floor.price === eth('58')
        ? floor
        : { ...floor, confirmedBy: 'coingecko' as const },
    );
    await fixture.history.record(PUNKS, 'floor', points.toReversed());

    const { alerts, ignored } = await previewIn(fixture, {
      ...below60,
      ...{ outliers: 'take', minSources: 2 },
    });

    expect(alerts.map(({ kind, value }: { kind: string; value: string }) => [kind, value])).toEqual(
      [['fired', '59']],
    );
    expect(ignored).toMatchObject([
      { why: 'unconfirmed', price: '50' },
      { why: 'unconfirmed', price: '58' },
    ]);
  });

  it('a preview reports when the rule would have fired and recovered, with values and texts', async () => {
    const fixture = await recorded({ 30: '65', 20: '59', 10: '61', 5: '58' });

    const { alerts, counts, pendingEnded } = await previewIn(fixture, below60);

    expect(kinds(alerts)).toEqual(['fired 20', 'recovered 10', 'fired 5']);
    expect(counts).toMatchObject({ fired: 2, recovered: 1, reminder: 0 });
    expect(pendingEnded).toBe(0);
    expect(alerts[0]).toMatchObject({
      ...{ rule: 'low', contract: PUNKS, value: '59', previous: '65', episode: 1 },
      title: 'eth:0xb47e3c…3bbb below 60 ETH: 59 ETH ($1k, −9.2%)',
    });
    expect(alerts[1]).toMatchObject({ duration: '10h', extreme: '59' });
  });

  it('a preview includes the alert of an episode that began before its span', async () => {
    const fixture = await recorded({ 30: '59', 10: '61' });

    const { alerts } = await previewIn(fixture, below60);

    expect(kinds(alerts)).toEqual(['fired 30', 'recovered 10']);
  });

  it('a preview runs the timers between prices (`for` and reminders), and counts pending states that ended', async () => {
    const fixture = await recorded({ 30: '65', 22: '59', 21: '61', 18: '59', 2: '61' });
    const rule = { ...below60, for: '2h', repeat: { reminder: '6h' } };

    const { alerts, counts, pendingEnded } = await previewIn(fixture, rule);

    expect(kinds(alerts)).toEqual(['fired 16', 'reminder 10', 'reminder 4', 'recovered 2']);
    expect([counts.reminder, pendingEnded]).toEqual([2, 1]);
  });

  it('a preview of a metric with a window uses prices from before its span', async () => {
    const fixture = await recorded({ 48: '100', 40: '80', 10: '70', 2: '90' });
    const rule = { metric: 'floor_change_pct.24h', when: 'below', threshold: '-10' };

    const { alerts } = await previewIn(fixture, rule);

    // The floor is compared with the floor 24 hours earlier. This is 100 at the start of the span,
    // and 80 from 16 hours before noon on.
    expect(alerts.map(({ kind, value }: Record<string, string>) => [kind, value])).toEqual([
      ['fired', '-20'],
      ['recovered', '0'],
      ['fired', '-12.5'],
      ['recovered', '12.5'],
    ]);
  });

  it('a preview of sales recovers without a value when the last sale leaves its window', async () => {
    const fixture = await watching();
    const sold = aTrade('50', NOON - 40 * HOUR);
    await fixture.history.record(PUNKS, 'lowest.1d', [sold]);
    const rule = { metric: 'lowest_price.1d', when: 'below', threshold: '55' };

    const { alerts, history, backFill } = await previewIn(fixture, rule);

    expect(kinds(alerts)).toEqual(['fired 40', 'recovered 16']);
    expect(alerts[1].value).toBeNull();
    expect(history).toMatchObject([{ series: 'lowest.1d', points: 0, recorded: 1, gaps: null }]);
    expect(backFill).toBeNull();
  });

  it('a preview without recorded sales reports "not tested" instead of zero alerts', async () => {
    const fixture = await recorded({ 20: '59' });
    const rule = { metric: 'lowest_price.1d', when: 'below', threshold: '55' };

    const { counts, notTested } = await previewIn(fixture, rule);
    const tested = await previewIn(fixture, below60);

    expect([counts, notTested]).toEqual([null, 'not tested: no sales recorded']);
    expect([tested.counts.fired, tested.notTested]).toEqual([1, null]);
  });

  it('a preview in dollars counts no stale alerts if the history has no dollar prices', async () => {
    const here = await watching();
    await here.history.record(PUNKS, 'floor', [aPrice('65', { time: NOON - 3 * DAY })]);

    const inDollars = { ...below60, metric: 'floor_price_usd' };

    expect((await previewIn(here, inDollars, { days: 7 })).counts.stale).toBe(0);
  });

  it('a preview warns about a change below a positive threshold, which was probably meant to be negative', async () => {
    const fixture = await recorded({ 30: '65', 20: '59' });
    const rule = { metric: 'floor_change_pct.1h', when: 'below', threshold: '10' };

    expect((await previewIn(fixture, rule)).notes).toEqual([
      expect.stringContaining('below "-10"'),
    ]);
  });

  it('a preview reports the recorded part of its span, and the longest gap', async () => {
    const prices = {
      25: '61',
      24: '61',
      23: '61',
      22: '61',
      12: '61',
      11: '61',
      10: '61',
      9: '61',
    };
    const fixture = await recorded(prices);

    const { history } = await previewIn(fixture, below60);

    expect(history).toEqual([
      {
        ...{ series: 'floor', points: 7, recorded: 8, backFilled: 0, typicalMinutes: 60, gaps: 1 },
        from: formatInstant(NOON - 25 * HOUR),
        to: formatInstant(NOON - 9 * HOUR),
        longestGap: { from: formatInstant(NOON - 22 * HOUR), to: formatInstant(NOON - 12 * HOUR) },
      },
    ]);
  });

  it('a preview forecasts the effect of the next answer if the rule were saved now', async () => {
    const fixture = await recorded({ 30: '65' });
    const point = aPrice('59', { time: NOON - MINUTE });
    await fixture.contracts.put({ ...anAnsweredRecord('floor', point), version: 0 });

    expect((await previewIn(fixture, below60)).forecast.code).toBe('fires');
    expect((await previewIn(fixture, { ...below60, enabled: false })).forecast.code).toBe('paused');
    expect((await previewIn(world(), below60)).forecast.code).toBe('first_answer');
  });

  it('a preview measures the age of data from the times of prices, and a note reports this', async () => {
    const fixture = await recorded({ 30: '65', 20: '65', 10: '65', 9: '65', 8: '65' });
    const rule = { ...below60, noData: { alert: '8h' } };

    const { alerts, notes } = await previewIn(fixture, rule);

    expect(kinds(alerts)).toEqual(['stale 22', 'fresh 20', 'stale 12', 'fresh 10', 'stale 0']);
    expect(notes).toEqual([expect.stringMatching(/^The preview counts the age of data/)]);
  });

  it('a preview lists the first 200 alerts, and reports the number of all alerts', async () => {
    const fixture = await recorded({ 25: '59' });

    const { alerts, counts, until } = await previewIn(fixture, {
      ...below60,
      repeat: { reminder: '5m' },
    });

    // Reminders before the span are not counted, although the episode began there.
    expect([alerts.length, counts.reminder]).toEqual([200, 288]);
    expect(until).toBe(formatInstant(NOON));
  });

  it('a preview covers only the contracts of the rule, each separately', async () => {
    const fixture = await recorded({ 30: '65', 20: '59' });

    const { body } = await fixture.ask(PREVIEW, bodyOf(below60, { contracts: [APES, PUNKS] }));
    const one = await fixture.ask(
      PREVIEW,
      bodyOf({ ...below60, on: PUNKS }, { contracts: [APES, PUNKS] }),
    );

    const fired = body.contracts.map(({ contract, counts }: Record<string, { fired: number }>) => [
      contract,
      counts?.fired,
    ]);
    expect(fired).toEqual([
      [APES, undefined],
      [PUNKS, 1],
    ]);
    expect(one.body.contracts).toHaveLength(1);
  });

  it.each([
    [{ contracts: [] }, '/contracts'],
    [
      { contracts: Array.from({ length: 6 }, (_, i) => `eth:0x${String(i).repeat(40)}`) },
      '/contracts',
    ],
    [{ contracts: [PUNKS, PUNKS] }, '/contracts/1'],
    [{ rule: { ...below60, threshold: 'x' } }, '/rule/threshold'],
    [{ rule: { ...below60, on: APES } }, '/rule/on'],
    [{ from: formatInstant(NOON - DAY) }, '/days'],
    [{ days: 366 }, '/days'],
    [{ days: undefined, from: formatInstant(NOON) }, '/from'],
    [{ days: undefined, from: formatInstant(NOON - 366 * DAY) }, '/from'],
    [{ to: formatInstant(NOON + 1) }, '/to'],
  ])('a preview refuses %j with an error at %s', async (given, pointer) => {
    const { status, body } = await world().ask(PREVIEW, bodyOf(below60, given));

    expect([status, body.errors?.[0].pointer]).toEqual([400, pointer]);
  });

  it('an error about too many contracts of a preview says how many there are', async () => {
    const contracts = Array.from({ length: 6 }, (_, i) => `eth:0x${String(i).repeat(40)}`);

    const { body } = await world().ask(PREVIEW, bodyOf(below60, { contracts }));

    expect(body.errors).toEqual([
      { pointer: '/contracts', detail: 'expected at most 5 contracts, found 6' },
    ]);
  });
});

describe('floors that were not recorded', () => {
  const fixture = (prices: Readonly<Record<number, string>>): readonly FloorPoint[] =>
    floors(prices).map(({ kind: _kind, ...point }) => ({ ...point, marketplaces: ['opensea'] }));

  /** A provider with these pages, newest first, and the queries that it received. */
  function provider(pages: readonly (readonly FloorPoint[])[]) {
    const asked: object[] = [];
    const floorHistory: ReadContractsPorts['floorHistory'] = async (_contract, query) => {
      asked.push(query);
      const page = Number(query.cursor ?? 0);
      const points = pages[page] ?? [];
      const cursor = page + 1 < pages.length ? { cursor: String(page + 1) } : {};
      return { kind: 'ok', value: { points, ...cursor } };
    };
    return { asked, floorHistory };
  }

  it('a preview fetches missing floors back to the start of its span, without storing them', async () => {
    const { asked, floorHistory } = provider([
      fixture({ 1: '61', 2: '99', 3: '59' }),
      fixture({ 20: '61', 28: '58' }),
      fixture({ 50: '57' }),
    ]);
    const here = await watching({ floorHistory });
    await here.history.record(PUNKS, 'floor', floors({ 2: '62' }));

    const { alerts, history, backFill } = await previewIn(here, below60);

    expect(asked).toEqual([{ interval: '1d' }, { interval: '1d', cursor: '1' }]);
    expect(backFill).toEqual({ pages: 2, trouble: null });
    // Fetched floors are used only before the first recorded floor.
    expect(kinds(alerts)).toEqual(['fired 28', 'recovered 20', 'fired 3', 'recovered 2']);
    expect(history).toMatchObject([{ recorded: 1, backFilled: 3, points: 3 }]);
    expect(
      await here.history.newest(PUNKS, 'floor', { from: 0, to: NOON, each: 'point', limit: 9 }),
    ).toHaveLength(1);
  });

  it('a preview fetches at most ten pages for all its contracts together', async () => {
    const endless: ReadContractsPorts['floorHistory'] = async (_contract, { cursor = '1' }) => ({
      kind: 'ok',
      value: { points: fixture({ [cursor]: '61' }), cursor: String(Number(cursor) + 1) },
    });
    const { ask } = world({ floorHistory: endless });

    const { body } = await ask(PREVIEW, bodyOf(below60, { contracts: [PUNKS, APES], days: 30 }));

    const trouble = expect.stringMatching(/more pages/);
    expect(body.contracts).toMatchObject([
      { backFill: { pages: 10, trouble } },
      { backFill: { pages: 0, trouble } },
    ]);
  });

  it.each([
    [
      'no call is left',
      { reserveCalls: async () => ({ granted: false, reason: 'budget', until: NOON }) },
    ],
    ['the provider fails', { floorHistory: async () => ({ kind: 'failed', reason: 'timeout' }) }],
    ['time runs out', { remainingTime: () => 5_000 }],
  ])('a preview reports missing floors, without an error, if %s', async (_why, ports) => {
    const here = await watching(ports as Partial<ReadContractsPorts>);
    await here.history.record(PUNKS, 'floor', floors({ 5: '59' }));

    const { alerts, backFill } = await previewIn(here, below60);

    expect(kinds(alerts)).toEqual(['fired 5']);
    expect(backFill.trouble).toMatch(/./);
  });

  it('a preview fetches no floors if its span is recorded', async () => {
    const { asked, floorHistory } = provider([]);
    const here = await watching({ floorHistory });
    await here.history.record(PUNKS, 'floor', floors({ 26: '61' }));

    expect((await previewIn(here, below60)).backFill).toBeNull();
    expect(asked).toEqual([]);
  });
});
