import { describe, expect, it } from 'vitest';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { HOUR } from '#shared/domain/market/instant.ts';
import {
  APES,
  anAnsweredRecord,
  aPrice,
  aWatch,
  aWatchlist,
  eth,
  NOON,
  PUNKS,
} from '#test/support/builders.ts';
import { puttingInto } from '#test/support/putting.ts';
import { world } from './world.ts';

type Given = NonNullable<Parameters<typeof aWatch>[0]>;
type Found = { readonly watchlist: string; readonly rule: string; readonly status: string };

const WATCHES = 'GET /v1/watches';

/** Two lists, with known floors of their two contracts: 62.5 and 9. */
async function watching() {
  const made = world();
  const contracts = [PUNKS, APES];
  await made.watchlists.put(aWatchlist({ contracts }));
  await made.watchlists.put(aWatchlist({ id: 'second', contracts: [PUNKS] }));
  await made.contracts.put({ ...anAnsweredRecord('floor', aPrice('62.5')), version: 0 });
  const apes = { ...anAnsweredRecord('floor', aPrice('9')), contract: APES, version: 0 };
  await made.contracts.put(apes);
  const put = async (given: Given) => await made.watches.put(aWatch({ ...given, version: 0 }));
  const find = async (query: Readonly<Record<string, string>> = {}) => {
    const { status, body } = await made.ask(WATCHES, { path: {}, query });
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  };
  return { ...made, put, find };
}

const namesOf = ({ watches }: { readonly watches: readonly Found[] }) =>
  watches.map(({ watchlist, rule }) => `${watchlist}/${rule}`);

const firing = {
  state: 'firing',
  firedAt: NOON - HOUR,
  stateSince: NOON - HOUR,
  episode: 1,
} as const;

describe('GET /v1/watches', () => {
  it('GET /v1/watches reports the status and distance of each watch, and why it is silent', async () => {
    const { put, find, ask } = await watching();
    await put({});
    await put({ list: 'second', rule: 'up', ...firing, ruleCondition: { when: 'above' } });

    const { watches, cursor } = await find();

    const listed = (await ask('GET punks/watches')).body.watches[0];
    expect(watches).toEqual([
      {
        watchlist: 'punks',
        ...listed,
        ...{ status: 'ok', line: '60', distance: '2.5', distancePct: '4', direction: 'falls' },
        why: 'Floor price 62.5 ETH is above the threshold of 60 ETH.',
      },
      expect.objectContaining({
        ...{ watchlist: 'second', rule: 'up', status: 'firing' },
        ...{ distance: '-2.5', distancePct: '-4', direction: 'rises' },
      }),
    ]);
    expect(cursor).toBeNull();
  });

  it('watches of other tenants, and watches of contracts that their list lacks, are not listed', async () => {
    const { put, find } = await watching();
    await put({});
    await put({ tenant: 'other' });
    await put({ list: 'second', contract: APES });

    expect(namesOf(await find())).toEqual(['punks/floor-60']);
  });

  it.each<readonly [status: string, given: Given]>([
    ['firing', firing],
    ['noData', { ...firing, rule: 'floor-60~floor' }],
    ['expired', { admin: 'expired', expiresAt: NOON }],
    ['off', { admin: 'paused' }],
    ['off', { state: 'ended' }],
    ['pending', { state: 'pending', stateSince: NOON, ruleCondition: { for: HOUR } }],
    ['error', { brokenSince: NOON }],
    ['disputed', { ruleCondition: { unit: 'usdc' } }],
    ['waiting', { state: 'unknown' }],
    ['ok', { state: 'disarmed', ruleCondition: { arm: 'cross' } }],
  ])('watches are found by their status: %s', async (status, given) => {
    const { put, find } = await watching();
    await put({ ...given, rule: given.rule ?? 'this' });
    const others = 'firing,noData,off,expired,pending,error,disputed,waiting,ok,acknowledged'
      .split(',')
      .filter((one) => one !== status);

    expect((await find({ state: status })).watches).toMatchObject([{ status }]);
    expect((await find({ state: others.join() })).watches).toEqual([]);
  });

  it('watches without data are found by the status noData', async () => {
    const { put, find, contracts } = await watching();
    const known = anAnsweredRecord('floor', aPrice('9'));
    const floor = { ...known.series.floor, outcome: 'failed', reason: 'timeout' } as const;
    const before = await contracts.get(APES);
    await contracts.put({
      ...known,
      series: { floor },
      contract: APES,
      version: before?.version ?? 0,
    });
    await put({ contract: APES });
    await put({});

    expect((await find({ state: 'noData' })).watches).toMatchObject([{ contract: APES }]);
  });

  it('an acknowledged watch is found by the status acknowledged, and not as firing', async () => {
    const { put, find, table } = await watching();
    const watch = await put(firing);
    await puttingInto(table).acknowledgement({
      ...watch,
      at: NOON,
      by: undefined,
      silences: 'reminders',
    });

    expect(namesOf(await find({ state: 'firing' }))).toEqual([]);
    expect((await find({ state: 'acknowledged' })).watches).toMatchObject([
      { acknowledged: { at: '2026-11-21T12:00:00.000Z' } },
    ]);
  });

  it('watches are found by list and by contract', async () => {
    const { put, find } = await watching();
    await put({});
    await put({ contract: APES });
    await put({ list: 'second' });

    expect(namesOf(await find({ watchlist: 'second' }))).toEqual(['second/floor-60']);
    expect(namesOf(await find({ watchlist: 'second,punks', contract: APES }))).toEqual([
      'punks/floor-60',
    ]);
    expect(namesOf(await find({ watchlist: 'unknown' }))).toEqual([]);
  });

  it('sort=distance sorts watches by absolute distance, and puts watches without a distance last', async () => {
    const { put, find } = await watching();
    const below = (threshold: string) => ({ ruleCondition: { threshold: eth(threshold) } });
    await put({ rule: 'a-unknown', ruleCondition: { unit: 'usdc' } });
    await put({ rule: 'b-far', ...below('30') });
    await put({ rule: 'c-crossed-long-ago', ...firing, ...below('70') });
    await put({ rule: 'c-just-crossed', ...firing, ...below('62.6') });
    await put({
      rule: 'd-age',
      ruleCondition: {
        metric: 'data_age_minutes',
        unit: 'minutes',
        when: 'above',
        threshold: eth('1'),
      },
    });
    await put({ rule: 'e-near', contract: APES, ...below('8.9') });

    const all = await find({ sort: 'distance' });
    const some = await find({ sort: 'distance', limit: '2' });

    const order = [
      ...['c-just-crossed', 'e-near', 'c-crossed-long-ago', 'b-far', 'd-age', 'a-unknown'],
    ];
    expect(all).toMatchObject({ watches: order.map((rule) => ({ rule })), stoppedShort: false });
    expect(some).toMatchObject({ cursor: null, stoppedShort: true });
    expect(some.watches).toMatchObject([{ rule: 'c-just-crossed' }, { rule: 'e-near' }]);
  });

  it('watches are listed in pages, each once, even if a page ends within a contract', async () => {
    const { find, watchlists, watches } = await watching();
    const contracts = Array.from(
      { length: 60 },
      (_, index): ContractKey => `eth:0x${index.toString(16).padStart(40, '0')}`,
    );
    await watchlists.put(aWatchlist({ id: 'many', contracts }));
    await watchlists.put(aWatchlist({ id: 'many-more', contracts }));
    for (const contract of contracts) {
      for (const list of ['many', 'many-more']) {
        await watches.put(aWatch({ list, contract, version: 0 }));
      }
    }

    const seen: string[] = [];
    let cursor: string | null | undefined;
    let pages = 0;
    do {
      const page: Readonly<{
        watches: readonly (Found & { contract: string })[];
        cursor: string | null;
        stoppedShort: boolean;
      }> = await find({ watchlist: 'many,many-more', limit: '7', ...(cursor ? { cursor } : {}) });
      seen.push(...page.watches.map(({ contract, watchlist }) => `${contract} ${watchlist}`));
      expect(page.stoppedShort).toBe(false);
      cursor = page.cursor;
      pages += 1;
    } while (cursor !== null);

    expect(pages).toBe(Math.ceil(120 / 7));
    expect(seen).toEqual(
      contracts.flatMap((contract) => [`${contract} many`, `${contract} many-more`]),
    );
  });

  it('a page of watches ends early if a bounded read finds too few matches, and its cursor continues', async () => {
    const { find, watchlists, watches } = await watching();
    const contracts = Array.from(
      { length: 300 },
      (_, index): ContractKey => `eth:0x${index.toString(16).padStart(40, '0')}`,
    );
    await watchlists.put(aWatchlist({ id: 'many', contracts }));
    const last = contracts.at(-1) ?? PUNKS;
    await watches.put(aWatch({ list: 'many', contract: last, version: 0 }));

    const first = await find({ watchlist: 'many' });
    const second = await find({ watchlist: 'many', cursor: first.cursor });

    expect(first).toMatchObject({ watches: [], stoppedShort: true });
    expect(second).toMatchObject({ watches: [{ contract: last }], cursor: null });
  });

  it.each([
    ['a cursor of other filters', '?cursor', async (cursor: string) => ({ cursor, state: 'ok' })],
    [
      'a cursor together with sort',
      '?cursor',
      async (cursor: string) => ({ cursor, sort: 'distance' }),
    ],
    ['an unknown state', '?state.0', async () => ({ state: 'burning' })],
  ])('GET /v1/watches refuses %s', async (_, pointer, queryOf) => {
    const { put, find, ask } = await watching();
    await put({});
    await put({ contract: APES });
    const { cursor } = await find({ limit: '1' });

    const { status, body } = await ask(WATCHES, { path: {}, query: await queryOf(cursor) });

    expect([status, body.errors[0].pointer]).toEqual([400, pointer]);
  });

  it('sort=distance is refused for more contracts than one read covers, and the error suggests a filter', async () => {
    const { ask, watchlists } = await watching();
    for (const start of [0, 300]) {
      const contracts = Array.from(
        { length: 300 },
        (_, index): ContractKey => `eth:0x${(start + index).toString(16).padStart(40, '0')}`,
      );
      await watchlists.put(aWatchlist({ id: `many-${start}`, contracts }));
    }

    const { status, body } = await ask(WATCHES, { path: {}, query: { sort: 'distance' } });

    expect([status, body.errors[0].pointer]).toEqual([400, '?sort']);
    expect(body.errors[0].detail).toContain('found 602; select fewer with "watchlist"');
  });

  it('watches whose items are unreadable are named', async () => {
    const { put, find, table } = await watching();
    await put({});
    const key = { pk: `WATCHES#${PUNKS}`, sk: 'acme#punks#floor-60' };
    await table.put({ ...(await table.get(key)), ...key, since: 'long ago' });

    expect(await find()).toMatchObject({
      watches: [],
      unreadable: [
        { kind: 'watch', id: `${PUNKS}/floor-60`, reason: 'unexpected value of "since"' },
      ],
    });
  });
});
