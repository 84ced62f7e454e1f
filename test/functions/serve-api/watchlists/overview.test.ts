import { describe, expect, it } from 'vitest';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { DAY, formatInstant, HOUR, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import type { ContractRecord } from '#shared/domain/polling/contract-record.ts';
import {
  APES,
  anAnsweredRecord,
  aPrice,
  aTimeline,
  aWatch,
  aWatchlist,
  eth,
  NOON,
  PUNKS,
} from '#test/support/builders.ts';
import { world } from './world.ts';

type Given = NonNullable<Parameters<typeof aWatch>[0]>;

const OVERVIEW = 'GET /v1/overview';

/** The Punks with these recorded floors, newest last. */
async function watching(
  floors: readonly PricePoint[] = [aPrice('61', { time: NOON - HOUR })],
  given: Partial<ContractRecord> = {},
) {
  let now: Instant = NOON;
  const made = world({ now: () => now });
  await made.watchlists.put(aWatchlist());
  await made.history.record(PUNKS, 'floor', floors);
  const newest = floors.at(-1);
  if (newest !== undefined) {
    await made.contracts.put({ ...anAnsweredRecord('floor', newest), ...given, version: 0 });
  }
  const put = async (watch: Given = {}) => await made.watches.put(aWatch({ ...watch, version: 0 }));
  const look = async (about: object = {}) => await made.ask(OVERVIEW, { path: {}, ...about });
  const row = async () => {
    const { status, body } = await look();
    expect(status, JSON.stringify(body)).toBe(200);
    return body.contracts[0];
  };
  return { ...made, put, look, row, pass: (time: number) => (now += time) };
}

const at = (before: number, price: string, given: Partial<PricePoint> = {}) =>
  aPrice(price, { time: NOON - before, ...given });
const firing = { state: 'firing', firedAt: NOON, stateSince: NOON, episode: 1 } as const;

describe('the overview', () => {
  it('the overview has a row for each contract on the lists of the tenant, with name, image and slug', async () => {
    const { watchlists, collections, look } = await watching();
    await watchlists.put(aWatchlist({ id: 'more', contracts: [{ contract: APES, name: 'Apes' }] }));
    await watchlists.put(aWatchlist({ id: 'theirs' }, undefined, 'other'));
    const image = 'https://i2c.seadn.io/apes.png';
    await collections.put(APES, { name: 'Bored Apes', slug: 'bayc', image });
    await collections.put(PUNKS, { name: 'CryptoPunks', slug: 'cryptopunks' });

    const { body } = await look();

    expect(body.contracts).toMatchObject([
      { contract: PUNKS, name: 'CryptoPunks', image: null, slug: 'cryptopunks' },
      { contract: APES, name: 'Apes', image, slug: 'bayc', watchlists: ['more'], floor: null },
    ]);
  });

  it('the overview has the floor in dollars, its health, and the time of the last polls', async () => {
    const { progress, look } = await watching([at(HOUR, '61.25', { usd: eth('180000') })]);
    const polledUntil = NOON / MINUTE - 1;
    await progress.put({ version: 0, tickedAt: NOON, polledUntil, again: [] });

    const { body } = await look();

    expect(body.checkedAt).toBe(formatInstant(NOON - MINUTE));
    expect(body.contracts[0]).toMatchObject({
      floor: { value: '61.25', unit: 'eth', usd: '180000', at: formatInstant(NOON - HOUR) },
      freshness: { state: 'fresh', code: 'ok', reason: null, since: formatInstant(NOON) },
    });
  });

  it('the overview has the changes of the last hour, day and week', async () => {
    const { row } = await watching([
      at(9 * DAY, '50'),
      at(6 * DAY, '99'),
      at(2 * DAY, '80'),
      at(5 * HOUR, '64'),
      at(MINUTE, '60'),
    ]);

    expect((await row()).changes).toEqual({ '1h': '-6.25', '24h': '-25', '7d': '20' });
  });

  it('the overview reports null for a change whose earlier floor is unknown, missing or in another currency', async () => {
    const young = await watching([at(3 * DAY, '64'), at(MINUTE, '60')]);
    const gap = await watching([at(9 * DAY, '50'), at(2 * DAY, '64'), at(MINUTE, '60')], {
      past: { since: NOON - 3 * DAY },
    });
    const otherMoney = await watching([at(9 * DAY, '50', { currency: 'usdc' }), at(MINUTE, '60')]);

    expect((await young.row()).changes).toEqual({ '1h': '-6.25', '24h': '-6.25', '7d': null });
    expect((await gap.row()).changes).toEqual({ '1h': '-6.25', '24h': '-6.25', '7d': null });
    expect((await otherMoney.row()).changes).toEqual({ '1h': null, '24h': null, '7d': null });
  });

  it('the overview shows the floor that rules use, not an unconfirmed outlier', async () => {
    const status = at(HOUR, '61');
    const glitch = at(MINUTE, '20', { observedAs: 'suspect' });
    const timeline = aTimeline({ floor: status });
    const before = { ...timeline.before, reported: glitch };
    const { row } = await watching([at(2 * DAY, '61'), status, glitch], {
      ...anAnsweredRecord('floor', glitch),
      timeline: { ...timeline, before, suspect: glitch },
    });

    const { floor: shown, changes, sparkline } = await row();

    expect(shown.value).toBe('61');
    expect(changes['1h']).toBe('0');
    expect(sparkline.map(([, price]: [string, string]) => price)).toEqual(['61', '61']);
  });

  it('the overview has a sparkline of the last day, with its extremes and the last floor before that day', async () => {
    const day = Array.from({ length: 288 }, (_, index) =>
      at(DAY - index * 5 * MINUTE - 1, index === 77 ? '45' : `60.${index % 9}`),
    );
    const { row } = await watching([at(3 * DAY, '1'), at(2 * DAY, '58'), ...day]);

    const { sparkline } = await row();

    expect(sparkline.length).toBeLessThanOrEqual(48);
    expect(sparkline[0]).toEqual([formatInstant(NOON - 2 * DAY), '58']);
    expect(sparkline).toContainEqual([day[77] && formatInstant(day[77].time), '45']);
    expect(sparkline.at(-1)[0]).toBe(formatInstant(day.at(-1)?.time ?? 0));
  });

  it('the overview has the nearest threshold of all active rules', async () => {
    const { put, row } = await watching([at(HOUR, '62.5')]);
    await put({ rule: 'far', ruleCondition: { threshold: eth('30') } });
    await put({ rule: 'near', ruleCondition: { threshold: eth('60') } });
    await put({ rule: 'nearer', admin: 'paused', ruleCondition: { threshold: eth('62') } });
    await put({
      rule: 'far~floor',
      ruleCondition: {
        metric: 'data_age_minutes',
        unit: 'minutes',
        when: 'above',
        threshold: eth('61'),
      },
    });

    expect((await row()).nearest).toEqual({
      ...{ watchlist: 'punks', rule: 'near', metric: 'floor_price', unit: 'eth' },
      ...{ line: '60', distance: '2.5', distancePct: '4', direction: 'falls' },
    });
  });

  it('the nearest threshold in the overview may already be crossed', async () => {
    const crossed = await watching([at(HOUR, '2.937')]);
    await crossed.put({ rule: 'long-ago', ...firing, ruleCondition: { threshold: eth('3.0335') } });
    await crossed.put({ rule: 'just-now', ...firing, ruleCondition: { threshold: eth('2.9519') } });
    const ahead = await watching([at(HOUR, '2.937')]);
    await ahead.put({ rule: 'long-ago', ...firing, ruleCondition: { threshold: eth('3.0335') } });
    await ahead.put({ rule: 'next', ruleCondition: { threshold: eth('2.9') } });

    expect((await crossed.row()).nearest).toMatchObject({ line: '2.9519', distancePct: '-0.5' });
    expect((await ahead.row()).nearest).toMatchObject({ line: '2.9', distancePct: '1.25' });
  });

  it('the overview counts each rule once, together with its no-data watch, and shows the worst status of a contract', async () => {
    const { put, look } = await watching();
    await put({ rule: 'a', ...firing });
    await put({ rule: 'b' });
    await put({ rule: 'c' });
    await put({ rule: 'c~floor', ...firing });
    await put({ rule: 'd' });
    await put({ rule: 'd~floor' });
    await put({ rule: 'e', admin: 'paused' });
    await put({ rule: 'f', admin: 'expired' });

    const { body } = await look();

    expect(body.counts).toEqual({
      ...{ firing: 1, error: 0, noData: 1, disputed: 0, pending: 0 },
      ...{ acknowledged: 0, waiting: 0, ok: 2, expired: 1, off: 1 },
    });
    expect(body.contracts[0].status).toBe('firing');
  });

  it('the overview is listed in pages of fifty contracts', async () => {
    const { watchlists, look } = await watching();
    const contracts = Array.from(
      { length: 60 },
      (_, index): ContractKey => `eth:0x${index.toString(16).padStart(40, '0')}`,
    );
    await watchlists.put(aWatchlist({ id: 'many', contracts }));

    const first = (await look()).body;
    const second = (await look({ query: { cursor: first.cursor } })).body;

    const seen = [first, second].map((page) => page.contracts.length);
    expect([seen, second.cursor]).toEqual([[50, 11], null]);
  });

  it('a request for the overview returns 304 until something changes, even as time passes', async () => {
    const { put, look, pass } = await watching([at(3 * DAY, '61'), at(3 * HOUR, '60')]);
    await put();
    const { ETag = '' } = (await look()).headers;
    const again = { headers: { 'If-None-Match': String(ETag) } };

    pass(20 * MINUTE);
    const unchanged = await look(again);
    await put({ rule: 'new' });
    const changed = await look(again);

    expect([unchanged.status, changed.status]).toEqual([304, 200]);
  });
});
