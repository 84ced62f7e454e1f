import { describe, expect, it } from 'vitest';
import { alertId } from '#shared/domain/alerting/alert.ts';
import { formatInstant, MINUTE } from '#shared/domain/market/instant.ts';
import { omit } from '#shared/domain/omit.ts';
import { questionOf, toBoundCursor } from '#shared/http/cursor.ts';
import {
  APES,
  anAlert,
  aPostedAlert,
  aWatchlistBody,
  NOON,
  PUNKS,
} from '#test/support/builders.ts';
import { ANY, world } from './world.ts';

const LISTS = ['a', 'b', 'c'] as const;

/**
 * Three lists with an alert every few minutes, and a list of another tenant. List b has few alerts,
 * among them the oldest.
 */
async function sent() {
  const made = world();
  for (const id of LISTS) await made.ask('POST', { body: aWatchlistBody({ id }) });
  await made.ask('POST', { body: aWatchlistBody({ id: 'a' }), tenant: 'umbrella' });
  const put = async (tenant: string, watchlist: string, minute: number) => {
    const contract = minute % 2 === 0 ? PUNKS : APES;
    const about = { tenant, list: watchlist, rule: 'floor-60', contract };
    const alert = anAlert({
      ...{ tenant, watchlist, contract, at: formatInstant(NOON + minute * MINUTE) },
      id: alertId(about, 1, minute + 1),
      severity: minute % 3 === 0 ? 'critical' : 'warning',
      kind: minute % 5 === 0 ? 'recovered' : 'fired',
    });
    await made.alerts.post(aPostedAlert(alert, []));
  };
  for (let minute = 0; minute < 60; minute += 1) {
    const list = minute < 40 ? 0 : minute % 3;
    await put('acme', LISTS[minute === 0 ? 1 : list] ?? 'a', minute);
  }
  await put('umbrella', 'a', 61);

  /** Follows all pages. Returns the minutes of their alerts, and the number of pages. */
  const all = async (query: Record<string, string>, of = '/v1/alerts') => {
    const minutes: number[] = [];
    let [pages, cursor] = [0, undefined as string | undefined];
    do {
      const given = { query: { ...query, ...(cursor === undefined ? {} : { cursor }) } };
      const { status, body } = await made.ask(`GET ${of}`, given);
      expect([status, body.errors]).toEqual([200, undefined]);
      expect(body.alerts.length).toBeLessThanOrEqual(Number(query.limit ?? 50));
      for (const { at } of body.alerts) minutes.push((Date.parse(at) - NOON) / MINUTE);
      cursor = body.cursor ?? undefined;
      pages += 1;
    } while (cursor !== undefined);
    return { minutes, pages };
  };
  return { ...made, all };
}

const minutesDown = (wanted: (minute: number) => boolean = () => true) =>
  Array.from({ length: 60 }, (_, index) => 59 - index).filter(wanted);
const moment = (minute: number) => formatInstant(NOON + minute * MINUTE);

describe('the alerts of all lists', () => {
  it('a CSV of alerts has a column for each member of the JSON response, with the same name', async () => {
    const { ask } = await sent();
    const query = { limit: '1' };

    const { body } = await ask('GET /v1/alerts', { query });
    const table = await ask('GET /v1/alerts', { query: { ...query, format: 'csv' } });

    const [names = [], cells = []] = table.body
      .split('\r\n')
      .map((line: string) => line.split(',').map((cell) => cell.replace(/^"(.*)"$/, '$1')));
    const row = Object.fromEntries(
      names.map((name: string, index: number) => [name, cells[index]]),
    );
    const alert = omit(body.alerts[0], 'deliveries');
    const members = Object.keys(row).filter((name) => name in alert);
    expect(members).toHaveLength(18);
    for (const name of members) expect([name, row[name]]).toEqual([name, alert[name] ?? '']);
  });

  it.each(['1', '7', '10', '50', '100'])(
    'alerts of all lists are returned newest first, %s per page',
    async (limit) => {
      const { all } = await sent();

      expect((await all({ limit })).minutes).toEqual(minutesDown());
    },
  );

  it.each<[query: Record<string, string>, wanted: (minute: number) => boolean]>([
    [{ watchlist: 'a' }, (minute) => minute > 0 && (minute < 40 || minute % 3 === 0)],
    [{ watchlist: 'b,c' }, (minute) => minute === 0 || (minute >= 40 && minute % 3 !== 0)],
    [{ watchlist: 'nothing' }, () => false],
    [{ contract: APES }, (minute) => minute % 2 === 1],
    [{ contract: `${PUNKS},${APES.toUpperCase().replace('ETH:0X', 'eth:0x')}` }, () => true],
    [{ rule: 'floor-60' }, () => true],
    [{ rule: 'other' }, () => false],
    [{ kind: 'recovered' }, (minute) => minute % 5 === 0],
    [{ severity: 'critical', kind: 'fired' }, (minute) => minute % 3 === 0 && minute % 5 !== 0],
    [{ from: moment(10), to: moment(45) }, (minute) => minute >= 10 && minute <= 45],
    [{ from: '2099-01-01T00:00:00Z' }, () => false],
  ])('alerts are filtered by %j', async (query, wanted) => {
    const { all } = await sent();

    for (const limit of ['3', '100']) {
      expect((await all({ ...query, limit })).minutes).toEqual(minutesDown(wanted));
    }
  });

  it('a search without matching alerts ends after at most six pages', async () => {
    const { all } = await sent();

    const { minutes, pages } = await all({ rule: 'other', limit: '20' });

    expect([minutes, pages]).toEqual([[], expect.any(Number)]);
    expect(pages).toBeLessThanOrEqual(6);
  });

  it.each(['/v1/alerts', 'a/alerts'])(
    'a page of %s is filled with matching alerts',
    async (path) => {
      const { ask } = await sent();

      const { body } = await ask(`GET ${path}`, { query: { kind: 'recovered', limit: '1' } });

      expect(body.alerts).toHaveLength(1);
      expect(body.alerts[0].kind).toBe('recovered');
      expect([body.stoppedShort, typeof body.cursor]).toEqual([false, 'string']);
    },
  );

  it('a page of alerts ends early after a bounded number of reads, and its cursor continues', async () => {
    let reads = 0;
    const made = world();
    const counted = world({
      ...made.ports,
      alertsOf: (...asked) => {
        reads += 1;
        return made.ports.alertsOf(...asked);
      },
    });
    await counted.ask('POST', { body: aWatchlistBody() });
    const oldest = 'recovered' as const;
    for (let second = 0; second < 1100; second += 1) {
      const alert = anAlert({
        ...{ id: `0123456789abcdef0123.1.${second}`, at: formatInstant(NOON + second * 1000) },
        ...(second === 0 ? { kind: oldest } : {}),
      });
      await made.alerts.post(aPostedAlert(alert, []));
    }
    const query = { kind: oldest, limit: '1' };

    const first = (await counted.ask('GET punks/alerts', { query })).body;
    const second = (
      await counted.ask('GET punks/alerts', { query: { ...query, cursor: first.cursor } })
    ).body;

    expect([first.alerts, first.stoppedShort]).toEqual([[], true]);
    expect([second.alerts.length, second.stoppedShort]).toEqual([1, false]);
    expect(reads).toBeLessThanOrEqual(20);
  });

  it('the path of a list returns only the alerts of this list', async () => {
    const { all } = await sent();

    const { minutes } = await all({ limit: '4', kind: 'fired' }, 'b/alerts');

    expect(minutes).toEqual(
      minutesDown((minute) => minute >= 40 && minute % 3 === 1 && minute % 5 !== 0),
    );
  });

  it('the alerts of a deleted list are not returned', async () => {
    const { ask, all } = await sent();
    await ask('DELETE b', ANY);

    expect((await all({ watchlist: 'b' })).minutes).toEqual([]);
  });

  it.each<[at: string, query: Record<string, string>]>([
    ['?kind/0', { kind: 'nonsense' }],
    ['?severity/1', { severity: 'info,grave' }],
    ['?contract/0', { contract: 'eth:0x12' }],
    ['?from', { from: 'yesterday' }],
    ['?to', { from: moment(10), to: moment(9) }],
    ['?cursor', { cursor: 'x' }],
    ['?cursor', { cursor: toBoundCursor('ALERT#~', questionOf('/v1/alerts', {}, {})) }],
    [
      '?cursor',
      {
        cursor: toBoundCursor(
          `ALERT#${moment(99)}`,
          questionOf('/v1/alerts', {}, { to: moment(9) }),
        ),
        to: moment(9),
      },
    ],
    ['?until', { until: moment(1) }],
  ])(
    'a request for alerts with an invalid filter is refused with an error at %s',
    async (at, query) => {
      const { ask } = await sent();

      const { status, body } = await ask('GET /v1/alerts', { query });

      expect([status, body.errors?.[0]?.pointer?.replace('.', '/')]).toEqual([400, at]);
    },
  );

  it('an error about too many values of a filter of alerts says how many there are', async () => {
    const { ask } = await sent();
    const rule = Array.from({ length: 21 }, (_, index) => `rule-${index}`).join(',');

    const { body } = await ask('GET /v1/alerts', { query: { rule } });

    expect(body.errors).toMatchObject([
      { pointer: '?rule', detail: 'expected at most 20 values, found 21' },
    ]);
  });

  it('a cursor of alerts is valid only with the filters of its first page', async () => {
    const { ask } = await sent();
    const { body } = await ask('GET /v1/alerts', { query: { limit: '5', kind: 'fired' } });

    const other = await ask('GET /v1/alerts', { query: { kind: 'worsened', cursor: body.cursor } });

    expect(other.body.errors).toMatchObject([{ pointer: '?cursor' }]);
  });

  it.each(['GET /v1/episodes', 'GET a/alerts', 'GET /v1/watches'])(
    'a cursor of all alerts is not valid for %s',
    async (request) => {
      const { ask } = await sent();
      const { body } = await ask('GET /v1/alerts', { query: { limit: '5' } });

      const other = await ask(request, { query: { cursor: body.cursor } });

      expect(other.body.errors).toMatchObject([{ pointer: '?cursor' }]);
    },
  );
});
