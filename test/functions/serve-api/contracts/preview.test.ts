import { describe, expect, it } from 'vitest';
import type { ReadContractsPorts } from '#functions/serve-api/contracts/ports.ts';
import { SCHEMAS } from '#shared/channels/kinds.ts';
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

/** Floors at so many hours before noon. */
const floors = (prices: Readonly<Record<number, string>>) =>
  Object.entries(prices).map(([hours, price]) =>
    aPrice(price, { time: NOON - Number(hours) * HOUR, usd: eth('1000') }),
  );

/** A world in which these floors were recorded. */
async function recorded(prices: Readonly<Record<number, string>>) {
  const fixture = await watching();
  await fixture.history.record(PUNKS, 'floor', floors(prices).toReversed());
  return fixture;
}

/** A world in which the tenant watches the punks. */
async function watching(ports: Partial<ReadContractsPorts> = {}) {
  const fixture = world(ports);
  await fixture.watchlists.put(aWatchlist());
  return fixture;
}

const bodyOf = (rule: object, given: object = {}) => ({
  body: { rule, contracts: [PUNKS], days: 1, ...given },
});

/** The preview of one contract. */
async function previewIn({ ask }: ReturnType<typeof world>, rule: object, given: object = {}) {
  const { status, body } = await ask(PREVIEW, { scopes: 'read', ...bodyOf(rule, given) });
  expect(status, JSON.stringify(body)).toBe(200);
  return { ...body.contracts[0], notes: body.notes };
}

const kinds = (alerts: readonly { readonly kind: string; readonly dataTime: string }[]) =>
  alerts.map(({ kind, dataTime }) => `${kind} ${(NOON - Date.parse(dataTime)) / HOUR}`);

describe('a preview of a contract that only others watch', () => {
  it('reports what it reports of one without a watch', async () => {
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

  it('goes by the floors of the provider, and says so', async () => {
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
  /** Values at so many hours before noon. */
  const values = (unit: string, given: Readonly<Record<number, string>>) =>
    Object.entries(given)
      .map(([hours, value]) => aPrice(value, { time: NOON - Number(hours) * HOUR, currency: unit }))
      .toReversed();

  it('a preview fires where the recorded volume passes the threshold, from 0 too', async () => {
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
    'a preview without recorded statistics is not tested: $metric',
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

it('a preview says that its tenant has had the provider asked for all that it may today', async () => {
  let pages = 0;
  const floorHistory = async () => {
    pages += 1;
    return { kind: 'not_ready' as const };
  };
  const here = world({ floorHistory, takeCall: async () => 3600 });

  const { backFill } = await previewIn(here, below60);

  expect(backFill.trouble).toContain('is used up');
  expect(pages).toBe(0);
});

describe('a preview', () => {
  it('reports what the rule would not have gone by: a glitch among floors, dust among sales', async () => {
    const fixture = await recorded({ 30: '75', 20: '41', 10: '74', 5: '30' });
    const sales = [aTrade('0.00000013', NOON - 40 * HOUR), aTrade('50', NOON - 9 * HOUR)];
    await fixture.history.record(PUNKS, 'lowest.1d', sales);
    const cheapSale = { metric: 'lowest_price.1d', when: 'below', threshold: '60' };

    const floor = await previewIn(fixture, below60, { days: 2 });
    const taken = await previewIn(fixture, { ...below60, outliers: 'take' }, { days: 2 });
    const sale = await previewIn(fixture, cheapSale, { days: 2 });

    const at = (hours: number) => new Date(NOON - hours * HOUR).toISOString();
    const outlier = { part: 'floor', why: 'outlier', currency: 'eth' };
    const dust = { part: 'lowest.1d', why: 'below', currency: 'eth' };
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

  it('goes by the recorded floors that a second source confirmed, where the rule waits for it', async () => {
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

  it('reports when the rule would have fired and recovered, with the values and the words', async () => {
    const fixture = await recorded({ 30: '65', 20: '59', 10: '61', 5: '58' });

    const { alerts, counts, pendingEnded } = await previewIn(fixture, below60);

    expect(kinds(alerts)).toEqual(['fired 20', 'recovered 10', 'fired 5']);
    expect(counts).toMatchObject({ fired: 2, recovered: 1, reminder: 0 });
    expect(pendingEnded).toBe(0);
    expect(alerts[0]).toMatchObject({
      ...{ rule: 'low', contract: PUNKS, value: '59', previous: '65', episode: 1 },
      title: 'eth:0xb47e3c…3bbb below 60 ETH: 59 ETH ($1k, −9.2 %)',
    });
    expect(alerts[1]).toMatchObject({ duration: '10h', extreme: '59' });
  });

  it('reports that the value was beyond when the span began', async () => {
    const fixture = await recorded({ 30: '59', 10: '61' });

    const { alerts } = await previewIn(fixture, below60);

    expect(kinds(alerts)).toEqual(['fired 30', 'recovered 10']);
  });

  it('lets the instants between prices pass: for, reminders, and what came to nothing', async () => {
    const fixture = await recorded({ 30: '65', 22: '59', 21: '61', 18: '59', 2: '61' });
    const rule = { ...below60, for: '2h', repeat: { reminder: '6h' } };

    const { alerts, counts, pendingEnded } = await previewIn(fixture, rule);

    expect(kinds(alerts)).toEqual(['fired 16', 'reminder 10', 'reminder 4', 'recovered 2']);
    expect([counts.reminder, pendingEnded]).toEqual([2, 1]);
  });

  it('looks back behind the span for windows', async () => {
    const fixture = await recorded({ 48: '100', 40: '80', 10: '70', 2: '90' });
    const rule = { metric: 'floor_change_pct.24h', when: 'below', threshold: '-10' };

    const { alerts } = await previewIn(fixture, rule);

    // A day before, it was 100; at 16 hours before noon the 80 of a day earlier was all that held.
    expect(alerts.map(({ kind, value }: Record<string, string>) => [kind, value])).toEqual([
      ['fired', '-20'],
      ['recovered', '0'],
      ['fired', '-12.5'],
      ['recovered', '12.5'],
    ]);
  });

  it('reports sales, and that none is left when the last has left its window', async () => {
    const fixture = await watching();
    const sold = aTrade('50', NOON - 40 * HOUR);
    await fixture.history.record(PUNKS, 'lowest.1d', [sold]);
    const rule = { metric: 'lowest_price.1d', when: 'below', threshold: '55' };

    const { alerts, history, backFill } = await previewIn(fixture, rule);

    expect(kinds(alerts)).toEqual(['fired 40', 'recovered 16']);
    expect(alerts[1].value).toBeNull();
    expect(history).toMatchObject([{ part: 'lowest.1d', points: 0, recorded: 1, gaps: null }]);
    expect(backFill).toBeNull();
  });

  it('says that a rule was not tested where no sale is recorded, and not that it did not fire', async () => {
    const fixture = await recorded({ 20: '59' });
    const rule = { metric: 'lowest_price.1d', when: 'below', threshold: '55' };

    const { counts, notTested } = await previewIn(fixture, rule);
    const tested = await previewIn(fixture, below60);

    expect([counts, notTested]).toEqual([null, 'not tested: no sales recorded']);
    expect([tested.counts.fired, tested.notTested]).toEqual([1, null]);
  });

  it('reports no missing value where the history has none', async () => {
    const here = await watching();
    await here.history.record(PUNKS, 'floor', [aPrice('65', { time: NOON - 3 * DAY })]);

    const inDollars = { ...below60, metric: 'floor_price_usd' };

    expect((await previewIn(here, inDollars, { days: 7 })).counts.stale).toBe(0);
  });

  it('warns of a change whose sign is likely to be meant otherwise', async () => {
    const fixture = await recorded({ 30: '65', 20: '59' });
    const rule = { metric: 'floor_change_pct.1h', when: 'below', threshold: '10' };

    expect((await previewIn(fixture, rule)).notes).toEqual([
      expect.stringContaining('below "-10"'),
    ]);
  });

  it('reports how much is known of the span, and where it has a gap', async () => {
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
        ...{ part: 'floor', points: 7, recorded: 8, backFilled: 0, typicalMinutes: 60, gaps: 1 },
        from: formatInstant(NOON - 25 * HOUR),
        to: formatInstant(NOON - 9 * HOUR),
        longestGap: { from: formatInstant(NOON - 22 * HOUR), to: formatInstant(NOON - 12 * HOUR) },
      },
    ]);
  });

  it('reports what the next answer would do, were the rule made now', async () => {
    const fixture = await recorded({ 30: '65' });
    const point = aPrice('59', { time: NOON - MINUTE });
    await fixture.contracts.put({ ...anAnsweredRecord('floor', point), version: 0 });

    expect((await previewIn(fixture, below60)).forecast.code).toBe('fires');
    expect((await previewIn(fixture, { ...below60, enabled: false })).forecast.code).toBe('paused');
    expect((await previewIn(world(), below60)).forecast.code).toBe('first_answer');
  });

  it('counts the age of data from the times of prices, and says so', async () => {
    const fixture = await recorded({ 30: '65', 20: '65', 10: '65', 9: '65', 8: '65' });
    const rule = { ...below60, noData: { alert: '8h' } };

    const { alerts, notes } = await previewIn(fixture, rule);

    expect(kinds(alerts)).toEqual(['stale 22', 'fresh 20', 'stale 12', 'fresh 10', 'stale 0']);
    expect(notes).toEqual([expect.stringMatching(/^The age of data is counted/)]);
  });

  it('reports the first two hundred alerts, and how many there would have been', async () => {
    const fixture = await recorded({ 25: '59' });

    const { alerts, counts, until } = await previewIn(fixture, {
      ...below60,
      repeat: { reminder: '5m' },
    });

    // None is of the time before the span, though the episode began there.
    expect([alerts.length, counts.reminder]).toEqual([200, 288]);
    expect(until).toBe(formatInstant(NOON));
  });

  it('is of the contracts that the rule is on, each by itself', async () => {
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
  ])('refuses %j and names %s', async (given, pointer) => {
    const { status, body } = await world().ask(PREVIEW, bodyOf(below60, given));

    expect([status, body.errors?.[0].pointer]).toEqual([400, pointer]);
  });
});

describe('floors that were not recorded', () => {
  const fixture = (prices: Readonly<Record<number, string>>): readonly FloorPoint[] =>
    floors(prices).map(({ kind: _kind, ...point }) => ({ ...point, marketplaces: ['opensea'] }));

  /** A provider of pages, the newest first, and what it was asked. */
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

  it('are asked for as far back as the span, and not kept', async () => {
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
    // What was recorded counts where there is some.
    expect(kinds(alerts)).toEqual(['fired 28', 'recovered 20', 'fired 3', 'recovered 2']);
    expect(history).toMatchObject([{ recorded: 1, backFilled: 3, points: 3 }]);
    expect(
      await here.history.newest(PUNKS, 'floor', { from: 0, to: NOON, each: 'point', limit: 9 }),
    ).toHaveLength(1);
  });

  it('are asked for ten pages at most, for all contracts together', async () => {
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
      { leaseCalls: async () => ({ granted: false, reason: 'budget', until: NOON }) },
    ],
    ['the provider fails', { floorHistory: async () => ({ kind: 'failed', reason: 'timeout' }) }],
    ['time runs out', { remainingTime: () => 5_000 }],
  ])('are said to be missing where %s, and are no error', async (_why, ports) => {
    const here = await watching(ports as Partial<ReadContractsPorts>);
    await here.history.record(PUNKS, 'floor', floors({ 5: '59' }));

    const { alerts, backFill } = await previewIn(here, below60);

    expect(kinds(alerts)).toEqual(['fired 5']);
    expect(backFill.trouble).toMatch(/./);
  });

  it('are not asked for where the past is known', async () => {
    const { asked, floorHistory } = provider([]);
    const here = await watching({ floorHistory });
    await here.history.record(PUNKS, 'floor', floors({ 26: '61' }));

    expect((await previewIn(here, below60)).backFill).toBeNull();
    expect(asked).toEqual([]);
  });
});
