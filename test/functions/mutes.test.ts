import { describe, expect, it } from 'vitest';
import type { Alert } from '#shared/domain/alerting/alert.ts';
import { DAY, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import { omit } from '#shared/domain/omit.ts';
import { LONGEST_MUTE } from '#shared/domain/watchlists/mute.ts';
import { openEpisodeOf } from '#shared/domain/watchlists/muted-watch.ts';
import { APES, eth, linesSaid, PUNKS } from '#test/support/builders.ts';
import { casesOf } from '#test/support/extent.ts';
import { createSeededRandom } from '#test/support/seeded-random.ts';
import { createWorld, type World } from '#test/support/world.ts';

const iso = (instant: Instant) => new Date(instant).toISOString();

function floorIs(world: World, price: string): void {
  const point = { time: world.now(), price: eth(price), currency: 'eth', marketplaces: [] };
  world.answers.floor = () => ({ kind: 'ok', value: [point] });
}

async function put(world: World, ...rules: readonly object[]): Promise<void> {
  const bodies = (rules.length === 0 ? [{}] : rules).map((rule) => ({
    ...{ id: 'low', metric: 'floor_price', when: 'below', threshold: '60', ...rule },
  }));
  await world.putList({ id: 'mine', name: 'Mine', contracts: [PUNKS], rules: bodies as never });
}

async function minutes(world: World, count: number): Promise<void> {
  for (let minute = 0; minute < count; minute += 1) await world.tick();
}

/** A list whose rule does not fire yet. */
async function watching(...rules: readonly object[]): Promise<World> {
  const world = createWorld({ cadenceMinutes: 1 });
  floorIs(world, '65');
  await put(world, ...rules);
  await minutes(world, 2);
  return world;
}

const emailed = (world: World) =>
  world.published.filter(({ destinationId }) => destinationId === 'stack-topic');
const sent = (world: World) =>
  emailed(world).map(({ alert }) => `${alert.kind} ${alert.rule} ${alert.value}`);
const lastText = (world: World) =>
  emailed(world)
    .slice(-1)
    .flatMap(({ alert }) => linesSaid(alert))
    .join('\n');
const watchOf = (world: World, rule = 'low') =>
  world.stores.watches.get({ tenant: 'acme', list: 'mine', rule, contract: PUNKS });

const DROP = { metric: 'floor_drawdown_pct.24h', when: 'above', threshold: '10' } as const;
const LOW = { id: 'low', metric: 'floor_price', when: 'below', threshold: '60' } as const;

/** The floor falls below 60 once, and rises above it again. */
async function dip(world: World): Promise<void> {
  floorIs(world, '50');
  await minutes(world, 1);
  floorIs(world, '70');
  await minutes(world, 1);
}

describe('a mute', () => {
  it('a mute holds alerts until its end, and then sends them in one message', async () => {
    const world = await watching();
    await world.mute('mine', 10);

    await dip(world);
    floorIs(world, '55');
    await minutes(world, 7);
    const during = sent(world);
    await minutes(world, 3);

    expect(during).toEqual([]);
    expect(sent(world)).toEqual(['summary low 55']);
    expect(lastText(world)).toContain('below 60 ETH: still firing, 3 alerts held back');
    expect(lastText(world)).toContain('Held back by a mute: fired 2 times, recovered once');
  });

  it('the summary of a mute has the newest value and its age, even if no alert reported it', async () => {
    const world = await watching({ id: 'low' }, { id: 'drop', ...DROP });
    await world.mute('mine', 10);

    floorIs(world, '55');
    await minutes(world, 2);
    floorIs(world, '57.2');
    await minutes(world, 9);

    expect(sent(world).toSorted()).toEqual(['summary drop 12', 'summary low 57.2']);
    const said = emailed(world).map(({ alert }) => linesSaid(alert).join('\n'));
    for (const text of said) expect(text).toMatch(/^Newest value: (57.2 ETH|12%), [78] min old$/m);
    expect(
      emailed(world)
        .map(({ alert }) => alert.threshold)
        .toSorted(),
    ).toEqual(['10', '60']);
  });

  it('the summary of a mute has the value of its last alert if the newest value is unknown', async () => {
    const world = await watching();
    await world.mute('mine', 10);
    floorIs(world, '55');
    await minutes(world, 2);
    const time = world.now();
    const inDollars = { time, price: eth('150000'), currency: 'usd', marketplaces: [] };
    world.answers.floor = () => ({ kind: 'ok', value: [inDollars] });
    await minutes(world, 9);

    expect(sent(world)).toEqual(['summary low 55']);
    expect(lastText(world)).toContain('Value of the last alert: 55 ETH');
  });

  it('a mute does not change the state of a watch, so an episode can begin and end during the mute', async () => {
    const worlds = [await watching(), await watching()] as const;
    await worlds[0].mute('mine', 10);

    for (const world of worlds) await dip(world);

    const [muted, heard] = await Promise.all(worlds.map((world) => watchOf(world)));
    expect(muted).toEqual(heard);
  });

  it('the summary of a mute has the id of its last held alert, and no other alert has this id', async () => {
    const world = await watching();
    await world.mute('mine', 5);
    await dip(world);
    await minutes(world, 5);
    await dip(world);

    const ids = emailed(world).map(({ alert }) => alert.id.split('.').slice(1).join('.'));
    expect(ids).toEqual(['1.2', '1.3', '1.4']);
  });

  it('the summary of a mute counts unlisted alerts too, and each unlisted alert has a delivery state', async () => {
    const world = await watching();
    await world.mute('mine', 60);

    for (let dips = 0; dips < 12; dips += 1) await dip(world);
    await minutes(world, 60);

    expect(lastText(world)).toContain('24 alerts held back');
    const { entries } = await world.stores.alerts.ofList(
      { tenant: 'acme', id: 'mine' },
      { limit: 50, after: undefined },
    );
    const states = entries.map(({ deliveries }) => deliveries['stack-topic']?.state);
    expect(states.filter((state) => state === 'sent')).toHaveLength(21);
    expect(states.filter((state) => state === 'skipped')).toHaveLength(3);
  });

  it('a mute of a rule does not cover other rules', async () => {
    const world = await watching({}, { id: 'lower', threshold: '55' });
    await world.mute('mine', 60, { rule: 'low' });

    await dip(world);

    expect(sent(world)).toEqual(['fired lower 50', 'recovered lower 70']);
  });

  it('a mute of a contract covers only that contract, and when lifted releases only alerts of that contract', async () => {
    const world = createWorld({ cadenceMinutes: 1 });
    floorIs(world, '65');
    await world.putList({ id: 'mine', name: 'Mine', contracts: [PUNKS, APES], rules: [LOW] });
    await minutes(world, 2);
    await world.mute('mine', 600, { contract: PUNKS });
    await world.mute('mine', 600, { id: 'other', contract: APES });
    await world.liftMute('mine', 'other');

    await dip(world);
    const before = emailed(world).map(({ alert }) => `${alert.kind} ${alert.contract}`);
    await world.liftMute('mine');
    await world.drain();

    expect(before).toEqual([`fired ${APES}`, `recovered ${APES}`]);
    expect(emailed(world).slice(2)).toMatchObject([
      { alert: { kind: 'summary', contract: PUNKS } },
    ]);
  });

  it('a mute of a severity covers the rules that currently have this severity', async () => {
    const world = await watching({}, { id: 'lower', threshold: '55', severity: 'critical' });
    await world.mute('mine', 60, { severity: 'warning' });
    await dip(world);
    const before = sent(world);

    await put(world, { severity: 'critical' }, { id: 'lower', threshold: '55' });
    await minutes(world, 2);
    await dip(world);

    expect(before).toEqual(['fired lower 50', 'recovered lower 70']);
    expect(sent(world).slice(2)).toEqual(['summary low 50', 'fired low 50', 'recovered low 70']);
  });

  it('alerts under two mutes are held until the later end', async () => {
    const world = await watching();
    await world.mute('mine', 5);
    await dip(world);
    await world.mute('mine', 20, { id: 'longer' });

    await minutes(world, 15);
    const during = sent(world);
    await minutes(world, 6);

    expect([during, sent(world)]).toEqual([[], ['summary low 70']]);
  });

  it('a mute holds alerts that were posted before the mute, but not sent yet', async () => {
    const world = await watching();
    world.answers.channel = () => ({ kind: 'failed', reason: 'HTTP 503' });
    await dip(world);
    await world.mute('mine', 20);
    world.answers.channel = () => ({ kind: 'sent' });

    await minutes(world, 15);
    const during = sent(world);
    await minutes(world, 8);

    expect([during, sent(world)]).toEqual([['fired low 50'], ['fired low 50', 'summary low 70']]);
  });

  it('a mute ends even if the record of its contract was deleted in the meantime', async () => {
    const world = await watching({ expiresAt: iso(createWorld().now() + 6 * MINUTE) });
    await world.mute('mine', 30);
    await dip(world);
    await minutes(world, 10);
    for (const { pk, sk, version } of world.table.items()) {
      if (pk.startsWith('CONTRACTS#')) await world.table.delete({ pk, sk }, Number(version));
    }

    await minutes(world, 20);

    expect(sent(world).toSorted()).toEqual(['expired low null', 'summary low 70']);
  });

  it('a mute causes no writes while no alerts arrive', async () => {
    const world = await watching();
    await world.mute('mine', 60);
    await dip(world);
    await minutes(world, 2);
    const version = (await watchOf(world))?.version;

    await minutes(world, 20);

    expect((await watchOf(world))?.version).toBe(version);
  });
});

/** A list whose rule has fired, reports each worsening, and is muted until it recovers. */
async function snoozed(rule: object = {}): Promise<World> {
  const world = await watching({ steps: '2', ...rule });
  floorIs(world, '59');
  await minutes(world, 2);
  const watch = await watchOf(world);
  const episode = watch && openEpisodeOf(watch);
  if (episode === undefined) throw new Error('no episode is open');
  const about = { rule: 'low', contract: PUNKS, episodes: [episode] };
  await world.mute('mine', LONGEST_MUTE / MINUTE, about);
  return world;
}

async function floorGoes(world: World, ...prices: readonly string[]): Promise<void> {
  for (const price of prices) {
    floorIs(world, price);
    await minutes(world, 1);
  }
}

describe('a mute until the recovery', () => {
  it('a mute until recovery holds `worsened` alerts, and sends a summary and the recovery when the episode ends', async () => {
    const world = await snoozed();

    await floorGoes(world, '57', '55');
    const during = sent(world);
    await floorGoes(world, '70');
    await minutes(world, 1);

    expect(during).toEqual(['fired low 59']);
    expect(sent(world).slice(1)).toEqual(['summary low 70', 'recovered low 70']);
    expect(emailed(world)[1]?.alert.facts[0]?.value).toBe('worsened 2 times');
  });

  it('a mute until recovery sends only the recovery if it held nothing', async () => {
    const world = await snoozed();

    await floorGoes(world, '70');

    expect(sent(world)).toEqual(['fired low 59', 'recovered low 70']);
  });

  it('a mute until recovery does not cover the next episode', async () => {
    const world = await snoozed();

    await floorGoes(world, '70', '58', '56');

    expect(sent(world).slice(1)).toEqual(['recovered low 70', 'fired low 58', 'worsened low 56']);
  });

  it('a mute until recovery skips reminders', async () => {
    const world = await snoozed({ repeat: { reminder: '10m' } });

    await minutes(world, 25);
    await floorGoes(world, '70');
    await minutes(world, 1);

    expect(sent(world)).toEqual(['fired low 59', 'recovered low 70']);
  });

  it('a mute until recovery ends within minutes after its episode, even if the episode ends without an alert', async () => {
    const world = await snoozed({ notifyRecovery: false });
    await floorGoes(world, '57', '70');
    const before = sent(world);

    await minutes(world, 6);

    expect([before, sent(world).slice(1)]).toEqual([['fired low 59'], ['summary low 70']]);
  });

  it('a mute until recovery ends with the edit that closes its episode', async () => {
    const world = await snoozed();
    await floorGoes(world, '57');

    await put(world, { threshold: '50' });
    await minutes(world, 2);

    const kinds = emailed(world).map(({ alert }) => alert.kind);
    expect(kinds).toEqual(['fired', 'summary', 'closed']);
  });

  it('a mute until recovery sends its summary when it is lifted', async () => {
    const world = await snoozed();
    await floorGoes(world, '57');

    await world.liftMute('mine');
    await world.drain();

    expect(sent(world)).toEqual(['fired low 59', 'summary low 57']);
  });

  it('a timed mute holds the recovery until its own end, even together with a mute until recovery', async () => {
    const world = await snoozed();
    await world.mute('mine', 10, { id: 'other' });

    await floorGoes(world, '57', '70');
    const during = sent(world);
    await minutes(world, 10);

    expect(during).toEqual(['fired low 59']);
    expect(sent(world).slice(1)).toEqual(['summary low 70']);
  });

  it('a mute until recovery continues after a timed mute ends', async () => {
    const world = await snoozed();
    await world.mute('mine', 5, { id: 'other' });

    await floorGoes(world, '57');
    await minutes(world, 30);

    expect(sent(world)).toEqual(['fired low 59']);
  });

  it('a mute until recovery ends after ninety days at the latest', async () => {
    const world = await snoozed();
    await floorGoes(world, '57');
    world.pass(90 * DAY);

    await minutes(world, 12);

    expect(sent(world)[1]).toMatch(/^summary low/);
  });
});

describe('a mute that is lifted', () => {
  it('a lifted mute releases its held alerts immediately', async () => {
    const world = await watching();
    await world.mute('mine', 600);
    await dip(world);

    await world.liftMute('mine');
    await world.drain();

    expect(sent(world)).toEqual(['summary low 70']);
    expect(world.table.items().filter(({ pk }) => pk.startsWith('JOBS#'))).toEqual([]);
  });

  it('a lifted mute does not release alerts that another mute covers', async () => {
    const world = await watching({}, { id: 'lower', threshold: '55' });
    await world.mute('mine', 600);
    await world.mute('mine', 20, { id: 'other', rule: 'lower' });
    await dip(world);

    await world.liftMute('mine');
    await world.drain();
    const before = sent(world);
    await minutes(world, 21);

    expect(before).toEqual(['summary low 70']);
    expect(sent(world)).toEqual(['summary low 70', 'summary lower 70']);
  });
});

describe('held alerts are sent at the end of the mute, even after any edit of the list', () => {
  it.each([
    ['the rule was paused', (world: World) => put(world, { enabled: false })],
    ['the rule was changed', (world: World) => put(world, { threshold: '61' })],
    ['the rule was removed', (world: World) => put(world, { id: 'other', threshold: '1' })],
    [
      'the contract was removed',
      (world: World) =>
        world.putList({ id: 'mine', name: 'Mine', contracts: [APES], rules: [LOW] }),
    ],
  ])('a mute sends the same summary at its end if %s', async (_what, edit) => {
    const world = await watching();
    await world.mute('mine', 10);
    await dip(world);

    await edit(world);
    await minutes(world, 4);
    const before = sent(world);
    await minutes(world, 8);

    expect([before, sent(world)]).toEqual([[], ['summary low 70']]);
  });

  it('the summary of a mute includes an episode that an edit closed', async () => {
    const world = await watching();
    await world.mute('mine', 10);
    floorIs(world, '50');
    await minutes(world, 2);

    await put(world, { id: 'other', threshold: '1' });
    await minutes(world, 12);

    const [summary, ...others] = emailed(world);
    expect([summary?.alert.kind, lastText(world), others]).toEqual([
      'summary',
      expect.stringMatching(/^Closed: .*\nHeld back by a mute: fired once, closed once\n/),
      [],
    ]);
    expect(world.table.items().filter(({ sk }) => sk.endsWith('#low'))).toEqual([]);
  });

  it('a mute that is lifted after its contract was removed sends its summary within minutes', async () => {
    const world = await watching();
    await world.mute('mine', 600);
    await dip(world);
    await world.putList({ id: 'mine', name: 'Mine', contracts: [APES], rules: [LOW] });
    await minutes(world, 4);

    await world.liftMute('mine');
    await minutes(world, 4);

    expect(sent(world)).toEqual(['summary low 70']);
  });

  it('the mutes of a list end immediately when the list is deleted', async () => {
    const world = await watching();
    await world.mute('mine', 600);
    await dip(world);

    await world.deleteList('mine');
    await minutes(world, 3);

    expect(sent(world)).toEqual(['summary low 70']);
  });

  it('a list that is deleted and created again has no mutes', async () => {
    const world = await watching();
    await world.mute('mine', 600);
    await world.deleteList('mine');
    await put(world);
    await minutes(world, 2);

    await dip(world);

    expect(sent(world)).toEqual(['fired low 50', 'recovered low 70']);
  });
});

describe("the end of a muted rule's watch", () => {
  const ending = async () => {
    const world = await watching({ expiresAt: iso(createWorld().now() + 4 * MINUTE) });
    await world.mute('mine', 10);
    await minutes(world, 5);
    return world;
  };

  it('the end of a muted rule is reported when the mute ends', async () => {
    const world = await ending();
    const before = sent(world);
    const { admin } = (await watchOf(world)) ?? {};

    await minutes(world, 8);

    expect([before, admin, sent(world)]).toEqual([[], 'expired', ['expired low null']]);
  });

  it('the end of a muted rule is reported in the minute after the mute is lifted', async () => {
    const world = await ending();

    await world.liftMute('mine');
    await world.drain();
    await minutes(world, 1);

    expect(sent(world)).toEqual(['expired low null']);
  });

  it('the alert about the end of a rule that was muted for days is not late, and is retried for a day', async () => {
    const world = await watching({ expiresAt: iso(createWorld().now() + 4 * MINUTE) });
    await world.mute('mine', 3 * 24 * 60);
    await minutes(world, 6);
    world.pass(3 * DAY - 10 * MINUTE);
    let tries = 0;
    world.answers.channel = (destinationId) => {
      if (destinationId === 'stack-slack') tries += 1;
      return tries === 1 ? { kind: 'failed', reason: 'HTTP 503' } : { kind: 'sent' };
    };

    await minutes(world, 20);

    expect(sent(world)).toEqual(['expired low null']);
    expect(tries).toBe(2);
    const deliveries = world.reports.filter(({ event }) => event === 'message_sent');
    expect(deliveries.map(({ fields }) => fields)).toMatchObject(
      deliveries.map(() => ({ late: 0 })),
    );
  });

  it('the expiry of a muted rule is not reported if the rule was extended in the meantime', async () => {
    const world = await ending();

    await put(world, { expiresAt: iso(world.now() + DAY) });
    await minutes(world, 12);

    expect(sent(world)).toEqual([]);
  });
});

/** The kind of an alert, or the kinds of the alerts that a summary counts. */
function kindsOf({ kind, facts }: Alert): readonly string[] {
  if (kind !== 'summary') return [kind];
  const counted = facts[0]?.value ?? '';
  return counted.split(', ').flatMap((part) => {
    const [, name = '', times = '1'] = /^(\w+) (?:once|(\d+) times)$/.exec(part) ?? [];
    return Array.from({ length: Number(times) }, () => (name === 'reminded' ? 'reminder' : name));
  });
}

it.each(casesOf([1, 2, 3, 4, 5], 1))(
  'random mutes neither lose nor repeat alerts, and change no state (seed %d)',
  async (seed) => {
    const rules = [
      { recover: '63', repeat: { reminder: '7m' } },
      { id: 'held', threshold: '58', for: '2m', severity: 'info', steps: '5' },
      { id: 'cross', when: 'crosses', threshold: '61' },
    ];
    const live = async (isMuted: boolean) => {
      const random = createSeededRandom(seed);
      const world = await watching(...rules);
      for (let minute = 0; minute < 120; minute += 1) {
        floorIs(world, random.pick(['50', '56', '58', '60', '61', '62', '64', '70']));
        const [what, length] = [random.below(10), 1 + random.below(20)];
        const about = [{}, { rule: 'held' }, { severity: 'warning' as const }][what];
        if (isMuted && about !== undefined) await world.mute('mine', length, about);
        if (isMuted && what === 9) await world.liftMute('mine');
        await world.tick();
      }
      floorIs(world, '62');
      await minutes(world, 25);
      const watches = await world.stores.watches.ofList({ tenant: 'acme', list: 'mine' }, PUNKS);
      return { world, states: watches.map((watch) => omit(watch, 'version')) };
    };

    const [muted, heard] = [await live(true), await live(false)];

    expect(muted.states).toEqual(heard.states);
    const alerts = emailed(muted.world).map(({ alert }) => alert);
    const kinds = (rule: string) =>
      [muted, heard].map(({ world }) =>
        emailed(world)
          .filter(({ alert }) => alert.rule === rule)
          .flatMap(({ alert }) => kindsOf(alert))
          // Mutes suppress reminders.
          .filter((kind) => kind !== 'reminder')
          .toSorted(),
      );
    for (const rule of ['low', 'held', 'cross']) {
      const [sent, expected] = kinds(rule);
      expect(sent).toEqual(expected);
    }
    expect(alerts.filter(({ kind }) => kind === 'summary').length).toBeGreaterThan(3);
    expect(new Set(alerts.map(({ id }) => id)).size).toBe(alerts.length);
  },
);

it('a lifted mute releases all its alerts, even if another mute of the list still holds many', async () => {
  const world = createWorld({ cadenceMinutes: 1 });
  const contracts = Array.from(
    { length: 40 },
    (_, number) => `eth:0x${(number + 1).toString(16).padStart(40, '0')}` as const,
  );
  const rule = { metric: 'floor_price', when: 'below', threshold: '60' } as const;
  const rules = [
    { ...rule, id: 'low', severity: 'critical' as const },
    ...['a', 'b', 'c'].map((id) => ({ ...rule, id, severity: 'info' as const })),
  ];
  floorIs(world, '65');
  await world.putList({ id: 'mine', name: 'Mine', contracts, rules });
  await minutes(world, 2);
  await world.mute('mine', 10_000, { id: 'all' });
  await world.mute('mine', 9000, { id: 'quiet', severity: 'info' });
  floorIs(world, '50');
  await minutes(world, 2);
  let left = 0;
  world.remaining = () => {
    left -= 100;
    return left;
  };
  await world.liftMute('mine', 'all');

  for (let pass = 0; pass < 20; pass += 1) {
    left = 18_000;
    await minutes(world, 1);
  }

  const rulesReported = new Set(emailed(world).map(({ alert }) => alert.rule));
  const contractsReported = new Set(emailed(world).map(({ alert }) => alert.contract));
  expect([...rulesReported]).toEqual(['low']);
  expect(contractsReported.size).toBe(contracts.length);
  expect(
    await world.stores.jobs.get({ tenant: 'acme', id: 'mine' }, { kind: 'mutes' }),
  ).toBeUndefined();
});
