import { describe, expect, it } from 'vitest';
import type { Alert } from '#shared/domain/alerting/alert.ts';
import { alertId } from '#shared/domain/alerting/alert.ts';
import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import { channelDestinationId } from '#shared/domain/channels/destination-id.ts';
import { formatInstant, MINUTE } from '#shared/domain/market/instant.ts';
import {
  anAlert,
  aPostedAlert,
  aWatch,
  aWatchlistBody,
  NOON,
  PUNKS,
} from '#test/support/builders.ts';
import { puttingInto } from '#test/support/putting.ts';
import { world } from './world.ts';

type Episode = {
  readonly self: string;
  readonly state: string;
  readonly firedAt: string;
  readonly timeline: readonly { readonly kind: string; readonly alert: string }[];
};

const EPISODES = 'GET /v1/episodes';
const moment = (minute: number) => formatInstant(NOON + minute * MINUTE);

type Given = Partial<Alert> & {
  readonly n: number;
  readonly minute: number;
  readonly to?: readonly DestinationId[];
};

const DESK = channelDestinationId({ tenant: 'acme', id: 'punks' }, 'desk');

async function reported(lists = ['punks']) {
  const made = world();
  for (const id of lists) await made.ask('POST', { body: aWatchlistBody({ id }) });
  const alert = async (
    { n, minute, to = [], ...given }: Given,
    rule = 'floor-60',
    watchlist = 'punks',
  ) => {
    const about = { tenant: 'acme', list: watchlist, rule, contract: PUNKS };
    const whole = anAlert({
      ...{ watchlist, rule, contract: PUNKS, generation: 1, episode: 1, open: true },
      ...{ id: alertId(about, 1, n), at: moment(minute), dataTime: moment(minute) },
      ...(given as object),
    });
    await made.alerts.post(aPostedAlert(whole, to));
    return whole;
  };
  const find = async (query: Readonly<Record<string, string>> = {}) => {
    const { status, body } = await made.ask(EPISODES, { path: {}, query });
    expect(status, JSON.stringify(body)).toBe(200);
    return body as { readonly episodes: readonly Episode[]; readonly cursor: string | null };
  };
  const isFiring = async (given: object = {}) =>
    await made.watches.put(
      aWatch({ state: 'firing', firedAt: NOON, episode: 1, ...given, version: 0 }),
    );
  return { ...made, alert, find, isFiring };
}

const kindsOf = ({ timeline }: Episode) => timeline.map(({ kind }) => kind).join(' ');

describe('episodes', () => {
  it('an episode has its start, its end, and a timeline of its alerts with their deliveries', async () => {
    const { alert, find } = await reported();
    const first = await alert({ n: 1, minute: 0 });
    await alert({ n: 2, minute: 5, kind: 'worsened', duration: '5m' });
    await alert({ n: 3, minute: 9, kind: 'recovered', open: false, duration: '9m', extreme: '55' });

    const { episodes, cursor } = await find();

    expect(cursor).toBeNull();
    expect(episodes).toMatchObject([
      {
        self: `/test/v1/watchlists/punks/alerts/${first.at}~${first.id}/episode`,
        ...{ watchlist: 'punks', rule: 'floor-60', contract: PUNKS, state: 'over' },
        ...{ firedAt: moment(0), endedAt: moment(9), duration: '9m', extreme: '55' },
        ...{ acknowledged: null, complete: true },
      },
    ]);
    expect(episodes.map(kindsOf)).toEqual(['fired worsened recovered']);
  });

  it('an episode reports the delivery state of each alert at each channel, with the reason of failures', async () => {
    const { alert, find, alerts } = await reported();
    const first = await alert({ n: 1, minute: 0, to: [DESK, 'stack-topic'] });
    const outcome = { state: 'failed', at: NOON, reason: 'gone' } as const;
    await alerts.putOutcome(first, DESK, outcome);

    const [episode] = (await find()).episodes;

    expect(episode?.timeline).toMatchObject([
      {
        deliveries: { desk: { state: 'failed', at: moment(0), reason: 'gone' } },
        operators: { 'stack-topic': { state: 'pending' } },
      },
    ]);
  });

  it('an episode is open only while its watch fires, and is over afterwards even without a recovery alert', async () => {
    const { alert, find, isFiring } = await reported();
    await alert({ n: 1, minute: 0 });
    await alert({ n: 1, minute: 1 }, 'quiet');
    await isFiring();
    await isFiring({ rule: 'quiet', state: 'ok' });

    const states = async (query = {}) =>
      (await find(query)).episodes.map(({ state, firedAt }) => `${state} ${firedAt}`);

    expect(await states()).toEqual([`over ${moment(1)}`, `open ${moment(0)}`]);
    expect(await states({ state: 'open' })).toEqual([`open ${moment(0)}`]);
    expect(await states({ state: 'over' })).toEqual([`over ${moment(1)}`]);
  });

  it('alerts are grouped by episode, even if alerts of other rules were sent in between', async () => {
    const { alert, find } = await reported();
    for (let episode = 1; episode <= 3; episode += 1) {
      await alert({ n: 2 * episode - 1, minute: 10 * episode, episode });
      await alert({ n: episode, minute: 10 * episode + 1, episode: null }, 'crossing');
      await alert({
        n: 2 * episode,
        minute: 10 * episode + 2,
        episode,
        kind: 'recovered',
        open: false,
        duration: '2m',
      });
    }

    const { episodes } = await find();

    expect(episodes.map((one) => `${one.firedAt} ${kindsOf(one)}`)).toEqual([
      ...[`${moment(31)} fired`, `${moment(30)} fired recovered`],
      ...[`${moment(21)} fired`, `${moment(20)} fired recovered`],
      ...[`${moment(11)} fired`, `${moment(10)} fired recovered`],
    ]);
  });

  it('an episode of missing data belongs to the no-data watch, and includes its reminders', async () => {
    const { alert, find, isFiring } = await reported();
    const about = { tenant: 'acme', list: 'punks', rule: 'floor-60~floor', contract: PUNKS };
    const of = { kind: 'stale', metric: 'data_age_minutes' } as const;
    await alert({ n: 1, minute: 0, ...of, id: alertId(about, 1, 1) });
    await alert({ n: 2, minute: 60, ...of, id: alertId(about, 1, 2), duration: '1h' });
    await isFiring({ rule: 'floor-60~floor' });

    const { episodes } = await find();

    expect(episodes.map((one) => `${one.state} ${one.firedAt} ${kindsOf(one)}`)).toEqual([
      `open ${moment(0)} stale stale`,
    ]);
  });

  it('an episode is open while the metric of its watch has no value, even if the rule does not fire', async () => {
    const { alert, find, isFiring } = await reported();
    await alert({ n: 1, minute: 0, kind: 'stale' });
    await isFiring({ state: 'ok', firedAt: undefined, noValueSince: NOON });

    const { episodes } = await find({ state: 'open' });

    expect(episodes.map((one) => `${one.state} ${kindsOf(one)}`)).toEqual(['open stale']);
  });

  it('an episode is over even if an acknowledgement follows its recovery', async () => {
    const { alert, find } = await reported();
    await alert({ n: 1, minute: 0 });
    await alert({ n: 2, minute: 5, kind: 'recovered', open: false, value: '61', duration: '5m' });
    await alert({ n: 3, minute: 6, kind: 'acknowledged', title: 'Acknowledged' });

    const { episodes } = await find();

    expect(episodes).toMatchObject([{ state: 'over', endedAt: moment(5), value: '61' }]);
    expect(episodes.map(kindsOf)).toEqual(['fired recovered acknowledged']);
  });

  it('an episode whose first alerts were muted starts with a summary', async () => {
    const { alert, find } = await reported();
    await alert({ n: 1, minute: 0 });
    await alert({ n: 4, minute: 60, kind: 'summary', duration: '1h' });
    await alert({ n: 7, minute: 200, episode: 2, kind: 'summary', duration: '20m' });

    const { episodes } = await find();

    expect(episodes.map((one) => `${one.firedAt} ${kindsOf(one)}`)).toEqual([
      `${moment(180)} summary`,
      `${moment(0)} fired summary`,
    ]);
  });

  it('an episode reports its acknowledgement', async () => {
    const { alert, ask, isFiring } = await reported();
    const { at, id } = await alert({ n: 1, minute: 0 });
    await isFiring();
    const path = { watchlist: 'punks', alert: `${at}~${id}` };
    await ask('POST punks/alerts/{alert}/acknowledge', { path, body: { note: 'ours' } });

    const { body } = await ask('GET punks/alerts/{alert}/episode', { path });

    expect(body).toMatchObject({ state: 'open', acknowledged: { note: 'ours' } });
  });

  it('an episode is found by each of its alerts', async () => {
    const { alert, ask, find } = await reported();
    await alert({ n: 1, minute: 0 });
    const { at, id } = await alert({
      n: 2,
      minute: 9,
      kind: 'recovered',
      open: false,
      duration: '9m',
    });
    const path = { watchlist: 'punks', alert: `${at}~${id}` };

    const one = await ask('GET punks/alerts/{alert}/episode', { path });

    expect(one.status).toBe(200);
    expect(one.body).toEqual((await find()).episodes[0]);
  });

  it('an alert without an episode has no episode resource', async () => {
    const { alert, ask } = await reported();
    const { at, id } = await alert({ n: 1, minute: 0, kind: 'expired', episode: null, open: null });

    const path = { watchlist: 'punks', alert: `${at}~${id}` };

    expect((await ask('GET punks/alerts/{alert}/episode', { path })).status).toBe(404);
  });

  it('episodes of all lists are listed in pages, each once, sorted by their start', async () => {
    const { alert, find } = await reported(['punks', 'more']);
    for (let episode = 1; episode <= 40; episode += 1) {
      const watchlist = episode % 3 === 0 ? 'more' : 'punks';
      await alert({ n: 2 * episode - 1, minute: 2 * episode, episode }, 'floor-60', watchlist);
      await alert(
        {
          n: 2 * episode,
          minute: 2 * episode + 1,
          episode,
          kind: 'recovered',
          open: false,
          duration: '1m',
        },
        'floor-60',
        watchlist,
      );
    }
    const seen: string[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await find({ limit: '7', ...(cursor ? { cursor } : {}) });
      seen.push(...page.episodes.map((one) => `${one.firedAt} ${kindsOf(one)}`));
      cursor = page.cursor;
    } while (cursor);

    expect(seen).toEqual(
      Array.from({ length: 40 }, (_, index) => `${moment(2 * (40 - index))} fired recovered`),
    );
  });

  it('episodes are found by list, rule and time', async () => {
    const { alert, find } = await reported(['punks', 'more']);
    await alert({ n: 1, minute: 0 });
    await alert({ n: 1, minute: 10 }, 'other');
    await alert({ n: 1, minute: 20 }, 'floor-60', 'more');
    const minutes = async (query: Record<string, string>) =>
      (await find(query)).episodes.map(({ firedAt }) => (Date.parse(firedAt) - NOON) / MINUTE);

    expect(await minutes({ watchlist: 'more' })).toEqual([20]);
    expect(await minutes({ rule: 'other' })).toEqual([10]);
    expect(await minutes({ from: moment(5), to: moment(15) })).toEqual([10]);
  });

  it('an episode is marked incomplete if too many other alerts were sent in between', async () => {
    const { alert, find } = await reported();
    await alert({ n: 1, minute: 0 });
    for (let n = 1; n <= 230; n += 1)
      await alert({ n, minute: n, kind: 'expired', episode: null, open: null }, 'noise');
    await alert({ n: 2, minute: 300, kind: 'recovered', open: false, duration: '5h' });

    const { episodes } = await find();

    expect(episodes).toMatchObject([{ state: 'over', endedAt: null, complete: false }]);
  });

  it('an episode lists the mutes that hold its next alerts, with their authors', async () => {
    const { alert, find, isFiring, ask } = await reported();
    await alert({ n: 1, minute: 0 });
    await isFiring();
    await ask('POST punks/mutes', { body: { for: '1h', rule: 'floor-60', reason: 'release day' } });
    await ask('POST punks/mutes', { body: { for: '1h', severity: 'critical' } });

    const [episode] = (await find()).episodes;

    expect(episode).toMatchObject({
      mutes: [{ rule: 'floor-60', reason: 'release day', by: { name: 'the script' } }],
    });
    await alert({ n: 2, minute: 9, kind: 'recovered', open: false });
    expect((await find()).episodes).toMatchObject([{ state: 'over', mutes: [] }]);
  });

  it('episodes are found by text in their alerts, regardless of case', async () => {
    const { alert, find } = await reported();
    await alert({ n: 1, minute: 0, label: 'Time to buy' });
    await alert({ n: 1, minute: 1, label: null, title: 'CryptoPunks: floor' }, 'other');

    const found = async (text: string) =>
      (await find({ text })).episodes.map(({ firedAt }) => firedAt);

    expect(await found('to BUY')).toEqual([moment(0)]);
    expect(await found('OTHER')).toEqual([moment(1)]);
    expect(await found('nowhere')).toEqual([]);
  });

  it('episodes are exported as CSV, page by page', async () => {
    const { alert, ask } = await reported();
    await alert({ n: 1, minute: 0, label: '=1+1', threshold: '60.000000000000000001' });
    await alert({ n: 1, minute: 1, name: 'A, "B"' }, 'other');
    const page = async (more: Readonly<Record<string, string>>) => {
      const { status, headers, body } = await ask(EPISODES, { path: {}, query: more });
      return { status, headers, lines: body.split('\r\n') };
    };

    const newest = await page({ format: 'csv', limit: '1' });
    const [, next = ''] = /<(.+)>; rel="next"/.exec(String(newest.headers.Link)) ?? [];
    const oldest = await page(Object.fromEntries(new URLSearchParams(next)));

    expect([newest.status, oldest.status]).toEqual([200, 200]);
    expect(newest.headers['Content-Type']).toMatch(/^text\/csv/);
    expect(newest.lines[0]).toMatch(/^firedAt,endedAt,state,severity,watchlist,rule,label,/);
    expect(newest.lines[1]).toContain('"A, ""B"""');
    expect(oldest.lines[1]).toContain(`,floor-60,"'=1+1",`);
    expect(oldest.lines[1]).toContain(',60.000000000000000001,');
    const all = await page({ format: 'csv', limit: '50' });
    await alert({ n: 2, minute: 7, kind: 'recovered', open: false }, 'other');
    const ended = await page({ format: 'csv', limit: '1' });
    expect(ended.lines[1]).toMatch(new RegExp(`^${moment(1)},${moment(7)},over,`));
    expect([all.lines.length, all.headers.Link]).toEqual([4, undefined]);
  });

  it.each([
    { name: 'Ada', written: 'Ada via Slack #desk' },
    { name: '', written: 'via Slack #desk' },
  ])(
    'the CSV of episodes names the person who acknowledged by a link: $written',
    async ({ name, written }) => {
      const { alert, ask, table } = await reported();
      await alert({ n: 1, minute: 0 });
      await puttingInto(table).acknowledgement({
        ...{ tenant: 'acme', list: 'punks', rule: 'floor-60', contract: PUNKS },
        ...{ generation: 1, episode: 1, at: NOON, silences: 'reminders' },
        by: { id: 'link:desk', name, via: 'Slack #desk' },
      });

      const { body } = await ask(EPISODES, { path: {}, query: { format: 'csv' } });

      expect(body).toContain(`,"${written}",`);
    },
  );

  it('the CSV of episodes is refused if an alert is unreadable', async () => {
    const { alert, ask, table } = await reported();
    for (const n of [1, 2, 3]) await alert({ n, minute: n });
    const item = table.items().find(({ sk }) => sk.startsWith('ALERT#'));
    if (item) await table.put({ ...item, alert: 'of another version' });

    const { status, body } = await ask(EPISODES, { path: {}, query: { format: 'csv' } });

    expect([status, body.detail]).toEqual([409, expect.stringContaining('format=csv')]);
  });
});
