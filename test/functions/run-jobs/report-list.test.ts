import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import { nextReport } from '#shared/domain/watchlists/list-report.ts';
import { eth, NOON, PUNKS, someLimits } from '#test/support/builders.ts';
import { createWorld } from '#test/support/world.ts';

const QUEUE = 'arn:aws:sqs:eu-west-1:123456789012:alerts';
/** A list with one rule and one email channel. NOON is on Saturday, 21 November 2026. */
const LIST = {
  ...{ id: 'mine', name: 'Blue chips', contracts: [PUNKS] },
  rules: [{ id: 'low', metric: 'floor_price', when: 'below' as const, threshold: '60' }],
  channels: [{ id: 'desk', kind: 'email' as const, to: 'desk@example.com' }],
};

it.each([
  [{ every: 'day', at: '08:00' }, 'UTC', '2026-11-22T08:00'],
  [{ every: 'day', at: '12:00' }, 'UTC', '2026-11-22T12:00'],
  [{ every: 'day', at: '12:01' }, 'UTC', '2026-11-21T12:01'],
  [{ every: 'mon', at: '08:00' }, 'UTC', '2026-11-23T08:00'],
  [{ every: 'sat', at: '08:00' }, 'UTC', '2026-11-28T08:00'],
  // Noon in London is seven in the morning in New York.
  [{ every: 'day', at: '08:00' }, 'America/New_York', '2026-11-21T13:00'],
  [{ every: 'sun', at: '00:30' }, 'Asia/Tokyo', '2026-11-21T15:30'],
] as const)(
  'the next report with the schedule %o in the time zone %s is at %s',
  (times, timeZone, next) => {
    expect(new Date(nextReport(times, timeZone, NOON)).toISOString().slice(0, 16)).toBe(next);
  },
);

/** The days and times of consecutive reports, according to an independent clock. */
function reportsFrom(
  start: string,
  times: Parameters<typeof nextReport>[0],
  timeZone: string,
  count: number,
) {
  const clock = new Intl.DateTimeFormat('sv-SE', {
    ...{ timeZone, dateStyle: 'short', timeStyle: 'short' },
  });
  const shown: string[] = [];
  let after = Date.parse(start);
  for (let report = 0; report < count; report += 1) {
    after = nextReport(times, timeZone, after);
    shown.push(clock.format(after));
  }
  return shown;
}

it.each([
  // 02:30 does not exist on Sunday, 29 March 2026, and exists twice on Sunday, 25 October.
  ['Europe/Berlin', '02:30', '2026-03-27', '2026-03-29 03:00'],
  ['Europe/Berlin', '02:30', '2026-10-23', '2026-10-25 02:30'],
  ['America/New_York', '02:15', '2026-03-06', '2026-03-08 03:00'],
  ['America/New_York', '01:30', '2026-10-30', '2026-11-01 01:30'],
  // Cairo skips the first hour of Friday, 24 April 2026.
  ['Africa/Cairo', '00:30', '2026-04-22', '2026-04-24 01:00'],
  // Lord Howe Island moves its clocks by half an hour.
  ['Australia/Lord_Howe', '02:15', '2026-10-02', '2026-10-04 02:30'],
  ['Australia/Lord_Howe', '01:45', '2026-04-03', '2026-04-05 01:45'],
])(
  'a daily report in %s at %s is sent once a day when clocks change',
  (zone, at, from, changed) => {
    const reports = reportsFrom(`${from}T12:00Z`, { every: 'day', at }, zone, 5);

    const days = reports.map((report) => report.slice(0, 10));
    expect(new Set(days).size).toBe(5);
    expect(Date.parse(days.at(-1) ?? '') - Date.parse(days[0] ?? '')).toBe(4 * DAY);
    expect(reports).toContain(changed);
  },
);

it('a weekly report is sent once a week when clocks skip its time', () => {
  const times = { every: 'sun', at: '02:30' } as const;

  expect(reportsFrom('2026-03-20T12:00Z', times, 'Europe/Berlin', 3)).toEqual([
    '2026-03-22 02:30',
    '2026-03-29 03:00',
    '2026-04-05 02:30',
  ]);
});

/** A stack in which all contracts have the floor that the test sets. */
function stack(options: Parameters<typeof createWorld>[0] = {}) {
  const world = createWorld({ cadenceMinutes: 30, ...options });
  return {
    world,
    floorIs: (price: string) => {
      const point = { price: eth(price), currency: 'eth', marketplaces: [] };
      world.answers.floor = () => ({ kind: 'ok', value: [{ ...point, time: world.now() }] });
    },
    passes: async (time: number) => {
      world.pass(time);
      for (let minute = 0; minute < 3; minute += 1) await world.tick();
    },
    reports: (destination = 'desk') =>
      world.published.filter(
        ({ alert, destinationId }) => alert.kind === 'report' && destinationId === destination,
      ),
  };
}

describe('a report', () => {
  it('a report is sent once at each configured time, with the changes of floors and the fired rules', async () => {
    const { world, floorIs, passes, reports } = stack();
    floorIs('65');
    await world.putList({ ...LIST, report: { every: 'day', at: '14:00' } });
    for (let hour = 0; hour < 24; hour += 1) await passes(HOUR);
    floorIs('52');
    await passes(40 * MINUTE);
    await passes(40 * MINUTE);

    expect(reports().map(({ alert }) => alert.at.slice(0, 16))).toEqual([
      '2026-01-05T14:00',
      '2026-01-06T14:00',
    ]);
    expect(reports()[0]?.alert.title).toContain('0 up, 0 down, 0 rules fired');
    expect(reports()[1]?.alert).toMatchObject({
      title: 'Blue chips in the last day: 0 up, 1 down, 1 rule fired',
      severity: 'info',
    });
    const [punks] = reports()[1]?.alert.facts ?? [];
    expect(punks?.value).toMatch(/^52 ETH, −20\.0% {2}[▁█ ]+ {2}fired once$/);
  });

  it('a report shows an old floor with its age and without a change, and does not count it as changed', async () => {
    const { world, floorIs, passes, reports } = stack();
    floorIs('69');
    await world.putList({ ...LIST, report: { every: 'day', at: '14:00' } });
    await passes(HOUR);
    world.answers.floor = () => ({ kind: 'failed', reason: 'timeout' });
    for (let day = 0; day < 3; day += 1) await passes(DAY);
    await passes(2 * HOUR);

    const last = reports().at(-1)?.alert;
    expect(last?.title).toBe('Blue chips in the last day: 0 up, 0 down, 0 rules fired');
    expect(last?.facts.map(({ value }) => value)).toEqual(['69 ETH, 3 days old']);
  });

  it.each([
    { reads: 'volume.7d', every: 'day', shown: 'volume in 7 days 32.5 ETH' },
    { reads: 'sales.1d', every: 'day', shown: '1 sale in 1 day' },
    { reads: 'average_price.7d', every: 'day', shown: 'volume in 7 days 32.5 ETH, 41 sales' },
    { reads: 'average_price.1d', every: 'mon', shown: 'volume in 1 day 0 ETH, 1 sale' },
    { reads: 'owners', every: 'day', shown: '' },
  ] as const)(
    'a report (every: $every) shows the statistics that rules on $reads use: “$shown”',
    async ({ reads, every, shown }) => {
      const { world, passes, reports } = stack({ limits: someLimits({ provider: 'opensea' }) });
      world.answers.floor = () => ({
        kind: 'ok',
        value: {
          points: [{ time: world.now(), price: eth('65'), currency: 'eth', marketplaces: [] }],
          statistics: {
            'volume.1d': { value: 0n, unit: 'eth' },
            'sales.1d': { value: eth('1'), unit: 'sales' },
            'volume.7d': { value: eth('32.5'), unit: 'eth' },
            'sales.7d': { value: eth('41'), unit: 'sales' },
            owners: { value: eth('5'), unit: 'owners' },
          },
        },
      });
      const rule = { id: 'market', metric: reads, when: 'above' as const, threshold: '1000' };
      const rules = [...LIST.rules, rule];
      await world.putList({ ...LIST, rules, report: { every, at: '14:00' } });
      for (let hour = 0; hour < 3; hour += 1) await passes(HOUR);

      const [punks] = reports()[0]?.alert.facts ?? [];
      expect(punks?.value.split(/[▁-█]/).at(-1)?.trim()).toBe(shown);
    },
  );

  it('a report shows that a collection never had a floor', async () => {
    const { world, passes, reports } = stack();
    world.answers.floor = () => ({ kind: 'empty' });
    await world.putList({ ...LIST, report: { every: 'day', at: '14:00' } });
    await passes(3 * HOUR);

    expect(reports()[0]?.alert.facts.map(({ value }) => value)).toEqual(['no floor known']);
  });

  it('a report counts a rule that fired several times once, and counts its alerts', async () => {
    const { world, floorIs, passes, reports } = stack();
    floorIs('65');
    await world.putList({ ...LIST, report: { every: 'day', at: '14:00' } });
    for (const price of ['65', '52', '65', '52', '65', '52', '52', '52', '52']) {
      floorIs(price);
      await passes(2 * HOUR);
      await passes(HOUR);
    }

    const last = reports().at(-1)?.alert;
    expect(last?.title).toMatch(/, 1 rule fired 3 times$/);
    expect(last?.facts[0]?.value).toMatch(/fired 3 times$/);
  });

  it('a report is sent once, and its job is set to the next day', async () => {
    const { world, floorIs, passes, reports } = stack();
    floorIs('65');
    await world.putList({ ...LIST, report: { every: 'day', at: '14:00' } });
    await passes(2 * HOUR);
    await world.tick();
    const [job] = world.table.items().filter(({ sk }) => sk === 'report');

    expect(reports()).toHaveLength(1);
    expect(job?.dueAt).toBe(Date.parse('2026-01-06T14:00Z'));
  });

  it('a report is not sent to programs, and its job is deleted when the setting is removed', async () => {
    const { world, floorIs, passes, reports } = stack();
    floorIs('65');
    const queue = { id: 'queue', kind: 'sqs' as const, queue: QUEUE };
    const channels = [...LIST.channels, queue];
    await world.putList({ ...LIST, channels, report: { every: 'day', at: '13:00' } });
    await passes(HOUR);
    const first = [reports().length, reports('queue').length];
    await world.putList({ ...LIST, channels });
    await passes(DAY + MINUTE);

    expect(first).toEqual([1, 0]);
    expect(reports()).toHaveLength(1);
    expect(world.table.items().filter(({ sk }) => sk === 'report')).toEqual([]);
  });
});
