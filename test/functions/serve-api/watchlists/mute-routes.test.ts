import { describe, expect, it } from 'vitest';
import { alertId } from '#shared/domain/alerting/alert.ts';
import type { Watch } from '#shared/domain/evaluation/watch.ts';
import { DAY, formatInstant, HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import { APES, aWatch, aWatchlistBody, NOON, PUNKS } from '#test/support/builders.ts';
import { ANY, world } from './world.ts';

const LIST = { tenant: 'acme', id: 'punks' };
const at = (mute: string) => ({ path: { watchlist: 'punks', mute } });

async function withList() {
  let now = NOON;
  const made = world({ now: () => now });
  await made.ask('POST', { body: aWatchlistBody() });
  await made.watches.put(aWatch({ version: 0 }));
  made.sent.length = 0;
  const pass = (milliseconds: number) => {
    now += milliseconds;
  };
  return { ...made, pass };
}

describe('POST of a mute', () => {
  it('POST mutes a list, and returns the location of the mute', async () => {
    const { ask } = await withList();

    const made = await ask('POST punks/mutes', { body: { for: '6h', reason: 'Release day' } });

    const mute = {
      id: expect.stringMatching(/^mute-\w+$/),
      by: { key: expect.any(String), name: expect.any(String), via: null },
      from: formatInstant(NOON),
      until: formatInstant(NOON + 6 * HOUR),
      untilRecovered: false,
      rule: null,
      contract: null,
      severity: null,
      reason: 'Release day',
    };
    expect([made.status, made.body]).toEqual([201, mute]);
    expect(made.headers.Location).toBe(`/test/v1/watchlists/punks/mutes/${made.body.id}`);
    expect((await ask('GET punks/mutes/{mute}', at(made.body.id))).body).toEqual(mute);
    expect((await ask('GET punks/mutes')).body.mutes).toEqual([mute]);
    expect((await ask('GET punks')).body.mutes).toEqual([mute]);
  });

  it('POST mutes a rule, a contract or a severity until a given time', async () => {
    const { ask } = await withList();
    const until = formatInstant(NOON + 90 * DAY);

    const { status, body } = await ask('POST punks/mutes', {
      body: { until, rule: 'floor-60', contract: PUNKS, severity: 'warning' },
    });

    expect([status, body]).toMatchObject([
      201,
      { until, rule: 'floor-60', contract: PUNKS, severity: 'warning' },
    ]);
  });

  const moment = (milliseconds: number) => ({ until: formatInstant(NOON + milliseconds) });
  it.each<readonly [pointer: string, body: object]>([
    ['/until', {}],
    ['/until', { for: '6h', ...moment(HOUR) }],
    ['/until', {}],
    ['/until', moment(0)],
    ['/until', moment(90 * DAY + 1)],
    ['/until', { until: 'tomorrow' }],
    ['/until', { for: '6h', until: 'recovered', rule: 'floor-60', contract: PUNKS }],
    ['/rule', { until: 'recovered', contract: PUNKS }],
    ['/contract', { until: 'recovered', rule: 'floor-60' }],
    ['/severity', { until: 'recovered', rule: 'floor-60', contract: PUNKS, severity: 'warning' }],
    ['/rule', { until: 'recovered', rule: 'floor-50', contract: PUNKS }],
    ['/contract', { until: 'recovered', rule: 'floor-60', contract: APES }],
    ['/for', { for: '91d' }],
    ['/for', { for: 6 }],
    ['/rule', { for: '6h', rule: 'floor-50' }],
    ['/contract', { for: '6h', contract: APES }],
    ['/contract', { for: '6h', contract: 'punks' }],
    ['/severity', { for: '6h', severity: 'high' }],
    ['/reason', { for: '6h', reason: 'two\nlines' }],
    ['/from', { for: '6h', from: formatInstant(NOON) }],
  ])(
    'POST of a mute is refused with an error at %s, and writes nothing: %j',
    async (pointer, body) => {
      const { ask, table } = await withList();
      const before = table.items();

      const refused = await ask('POST punks/mutes', { body });

      expect([refused.status, refused.body.errors[0].pointer]).toEqual([400, pointer]);
      expect(table.items()).toEqual(before);
    },
  );

  it('POST of a mute is refused while twenty mutes are active', async () => {
    const { ask, pass } = await withList();
    for (let count = 0; count < 20; count += 1) {
      await ask('POST punks/mutes', { body: { for: '6h' } });
    }

    const refused = await ask('POST punks/mutes', { body: { for: '6h' } });
    pass(6 * HOUR);
    const { status } = await ask('POST punks/mutes', { body: { for: '6h' } });

    expect([refused.status, status]).toEqual([400, 201]);
    expect((await ask('GET punks/mutes')).body.mutes).toHaveLength(1);
  });
});

describe('POST of a mute until the recovery', () => {
  const body = { until: 'recovered', rule: 'floor-60', contract: PUNKS };
  const firing = (given: Partial<Watch> = {}) =>
    aWatch({ state: 'firing', firedAt: NOON, episode: 2, version: 0, ...given });

  /** A list whose rule is in its second episode. */
  async function inEpisode() {
    const made = world({ now: () => NOON });
    await made.ask('POST', { body: aWatchlistBody() });
    return { ...made, watch: await made.watches.put(firing()) };
  }

  it('a mute until recovery ends with the open episode, and after ninety days at the latest', async () => {
    const { ask, mutes, changes } = await inEpisode();

    const made = await ask('POST punks/mutes', { body });

    expect([made.status, made.body]).toMatchObject([
      201,
      { untilRecovered: true, until: formatInstant(NOON + 90 * DAY), rule: 'floor-60' },
    ]);
    const name = `${alertId(aWatch(), 1, 'episode-2')}`;
    expect((await mutes.get(LIST)).mutes).toMatchObject([
      { episodes: [{ watch: 'floor-60', name }] },
    ]);
    const { entries } = await changes.ofTenant('acme', NOON, 9, undefined);
    expect(entries[0]).toMatchObject({ kind: 'mute_made', subject: made.body.id });
  });

  it('a mute until recovery also covers open episodes of missing data', async () => {
    const { ask, mutes, watches } = await inEpisode();
    await watches.put(firing({ rule: 'floor-60~floor', episode: 5 }));

    await ask('POST punks/mutes', { body });

    const [mute] = (await mutes.get(LIST)).mutes;
    expect(mute?.episodes?.map(({ watch }) => watch).toSorted()).toEqual([
      'floor-60',
      'floor-60~floor',
    ]);
  });

  it('a request for a mute until recovery returns 409 if no episode is open, and names an alternative', async () => {
    const { ask, table } = await withList();
    const before = table.items();

    const refused = await ask('POST punks/mutes', { body });

    expect([refused.status, refused.body]).toMatchObject([
      409,
      {
        title: 'No episode is open',
        detail: expect.stringContaining('mute it for a duration'),
      },
    ]);
    expect(table.items()).toEqual(before);
  });

  it('a mute until recovery is listed and counted until its episode ends, although it is stored longer', async () => {
    const { ask, mutes, watches, watch } = await inEpisode();
    for (let count = 0; count < 20; count += 1) await ask('POST punks/mutes', { body });
    const during = (await ask('GET punks/mutes')).body.mutes;
    const [{ id }] = during;

    await watches.put({ ...watch, state: 'ok' });

    expect(during).toHaveLength(20);
    expect((await ask('GET punks/mutes')).body.mutes).toEqual([]);
    expect((await ask('GET punks')).body.mutes).toEqual([]);
    expect((await ask('GET punks/mutes/{mute}', at(id))).status).toBe(404);
    expect((await mutes.get(LIST)).mutes).toHaveLength(20);
    expect((await ask('POST punks/mutes', { body: { for: '6h' } })).status).toBe(201);
    expect((await mutes.get(LIST)).mutes).toHaveLength(1);
  });

  it('a mute until recovery appears in its watch, but not in the next episode', async () => {
    const { ask, watches, watch } = await inEpisode();
    await ask('POST punks/mutes', { body });
    const during = (await ask('GET punks/watches')).body.watches[0];

    await watches.put({ ...watch, episode: 3 });

    expect(during).toMatchObject({ admin: 'muted', mutedUntilRecovered: true });
    expect((await ask('GET punks/watches')).body.watches[0]).toMatchObject({
      ...{ admin: 'enabled', mutedUntil: null, mutedUntilRecovered: false },
    });
  });
});

describe('DELETE of a mute', () => {
  it('DELETE lifts a mute, after storing the job that sends the held alerts', async () => {
    const { ask, sent, jobs, mutes } = await withList();
    const { body } = await ask('POST punks/mutes', { body: { for: '6h' } });

    const { status } = await ask('DELETE punks/mutes/{mute}', { ...ANY, ...at(body.id) });

    expect(status).toBe(204);
    expect(sent).toEqual([
      {
        message: { list: LIST, target: { kind: 'mutes' } },
        deduplication: expect.stringContaining('mutes'),
      },
    ]);
    expect(await jobs.get(LIST, { kind: 'mutes' })).toMatchObject({
      revision: (await mutes.get(LIST)).version,
      dueAt: NOON + MINUTE,
    });
    expect((await ask('GET punks')).body.mutes).toEqual([]);
  });

  it('DELETE of a mute succeeds even if its message cannot be sent, because the job remains', async () => {
    const made = world({ sendToLists: () => Promise.reject(new Error('no queue')) });
    await made.ask('POST', { body: aWatchlistBody() });
    const { body } = await made.ask('POST punks/mutes', { body: { for: '6h' } });

    const { status } = await made.ask('DELETE punks/mutes/{mute}', { ...ANY, ...at(body.id) });

    expect(status).toBe(204);
    expect(await made.jobs.get(LIST, { kind: 'mutes' })).toBeDefined();
  });
});

it.each(['GET punks/mutes/{mute}', 'DELETE punks/mutes/{mute}'])(
  '%s returns 404 for an ended or unknown mute',
  async (request) => {
    const { ask, pass, sent } = await withList();
    const { body } = await ask('POST punks/mutes', { body: { for: '6h' } });
    pass(6 * HOUR);

    const answers = [await ask(request, at(body.id)), await ask(request, at('mute-x'))];

    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
    expect(sent).toEqual([]);
  },
);

it.each([
  { headers: {}, status: 428 },
  { headers: { 'If-Match': '"mute-x"' }, status: 412 },
])('DELETE of a mute is refused with $headers', async ({ headers, status }) => {
  const { ask } = await withList();
  const { body } = await ask('POST punks/mutes', { body: { for: '6h' } });

  const refused = await ask('DELETE punks/mutes/{mute}', { headers, ...at(body.id) });

  expect(refused.status).toBe(status);
  expect((await ask('GET punks/mutes')).body.mutes).toHaveLength(1);
});

it('GET lists only active mutes, although ended ones stay stored until the next change', async () => {
  const { ask, mutes, pass } = await withList();
  await ask('POST punks/mutes', { body: { for: '6h' } });
  const long = await ask('POST punks/mutes', { body: { for: '7h' } });
  pass(6 * HOUR);

  const { body } = await ask('GET punks/mutes');

  expect(body.mutes).toEqual([long.body]);
  expect((await mutes.get(LIST)).mutes).toHaveLength(2);
});

it('a reader cannot create or lift mutes, and another tenant does not see them', async () => {
  const { ask } = await withList();
  const { body } = await ask('POST punks/mutes', { body: { for: '6h' } });

  const post = await ask('POST punks/mutes', { body: { for: '6h' }, scopes: 'read' });
  const lift = await ask('DELETE punks/mutes/{mute}', { ...at(body.id), scopes: 'read' });
  const foreign = await ask('GET punks/mutes', { tenant: 'umbrella' });

  expect([post.status, lift.status, foreign.status]).toEqual([403, 403, 404]);
});

it('a deleted list that is created again has no mutes', async () => {
  const { ask, mutes } = await withList();
  await ask('POST punks/mutes', { body: { for: '6h' } });

  await ask('DELETE punks', ANY);
  const left = (await mutes.get(LIST)).mutes;
  await ask('POST', { body: aWatchlistBody() });

  expect([left, (await ask('GET punks')).body.mutes]).toEqual([[], []]);
});

it('a watch reports its mute with the end of the mute', async () => {
  const { ask } = await withList();
  await ask('POST punks/mutes', { body: { for: '6h', rule: 'floor-60' } });

  const { body } = await ask('GET punks/watches');

  expect(body.watches[0]).toMatchObject({
    admin: 'muted',
    mutedUntil: formatInstant(NOON + 6 * HOUR),
  });
});
