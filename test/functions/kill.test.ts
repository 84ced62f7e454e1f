import { describe, expect, it } from 'vitest';
import type { Alert } from '#shared/domain/alerting/alert.ts';
import { notificationId } from '#shared/domain/alerting/notification.ts';
import { hashOfSecret } from '#shared/domain/channels/channel-secret.ts';
import { parseDecimal } from '#shared/domain/market/decimal.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { casesOf, thirdOf } from '#test/support/extent.ts';
import { createWorld, type World } from '#test/support/world.ts';

const PUNKS = 'eth:0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb';

/**
 * Floors of one contract by minute: below 60, above 70, a pause, then below 60 again and deeper.
 */
const FLOORS = [
  [0, '65'],
  [5, '59.5'],
  [7, '61'],
  [8, '71'],
  [9, '66'],
  [17, '58'],
  [18, '57'],
  [20, '80'],
] as const;

/** A list that is created, fires, recovers, is edited, and fires again until a rule ends. */
async function liveThrough(world: World): Promise<void> {
  const begun = world.now();
  floorsAre(world, FLOORS);
  world.answers.lowest = (_contract, _days, now) => ({ kind: 'ok', value: lowestAt(begun, now) });

  await world.putList({
    id: 'punks',
    name: 'Punks',
    contracts: [PUNKS],
    rules: [
      { id: 'low', metric: 'floor_price', when: 'below', threshold: '60', recover: '70' },
      { id: 'usd', metric: 'floor_price_usd', when: 'above', threshold: '210000', arm: 'cross' },
      { id: 'sale', metric: 'lowest_price.1d', when: 'below', threshold: '50' },
      { id: 'held', metric: 'floor_price', when: 'below', threshold: '62', for: '2m' },
    ],
    channels: [{ id: 'desk', kind: 'email', to: 'desk@example.com' }],
  });
  for (let minute = 0; minute < 15; minute += 1) await world.tick();
  await world.putList({
    id: 'punks',
    name: 'Punks',
    contracts: [PUNKS],
    rules: [
      {
        id: 'low',
        label: 'Low',
        metric: 'floor_price',
        when: 'below',
        threshold: '60',
        recover: '70',
      },
      {
        id: 'end',
        metric: 'floor_price',
        when: 'above',
        threshold: '1000',
        expiresAt: new Date(begun + 19 * 60_000).toISOString(),
      },
    ],
  });
  for (let minute = 0; minute < 12; minute += 1) await world.tick();
}

/** Floors by minute for a list with mutes. */
const MUTED_FLOORS = [
  [0, '65'],
  [4, '59'],
  [7, '71'],
  [16, '58'],
  [31, '72'],
  [38, '57'],
] as const;

/**
 * The first alert is held by a mute, the second is sent and acknowledged, and the third is held by
 * a mute that is lifted early.
 */
async function liveMuted(world: World): Promise<void> {
  const begun = world.now();
  floorsAre(world, MUTED_FLOORS);
  await world.putList({
    id: 'punks',
    name: 'Punks',
    contracts: [PUNKS],
    rules: [
      {
        id: 'low',
        metric: 'floor_price',
        when: 'below',
        threshold: '60',
        recover: '70',
        repeat: { reminder: '6m' },
      },
      {
        id: 'end',
        metric: 'floor_price',
        when: 'above',
        threshold: '1000',
        expiresAt: new Date(begun + 36 * 60_000).toISOString(),
      },
    ],
  });
  const until = async (minute: number) => {
    while (world.now() < begun + minute * 60_000) await world.tick();
  };
  await until(1);
  await world.mute('punks', 12);
  await until(26);
  await world.acknowledge('punks', 'low', PUNKS);
  await until(35);
  await world.mute('punks', 600);
  await until(41);
  await world.liftMute('punks');
  await until(49);
}

/** Floors by minute: a drop, a pause until windows move and data become old, and a recovery. */
const MOVING_FLOORS = [
  [-90, '60'],
  [0, '60'],
  [4, '57'],
  [68, '58.5'],
] as const;

/** Runs a list with rules on changes in a window, joined conditions, and missing data. */
async function liveThroughMoves(world: World): Promise<void> {
  const begun = world.now();
  floorsAre(world, MOVING_FLOORS);
  world.answers.lowest = (_contract, _days, now) => ({ kind: 'ok', value: lowestAt(begun, now) });
  const floor = { metric: 'floor_price', when: 'below', threshold: '58' } as const;
  await world.putList({
    id: 'punks',
    name: 'Punks',
    contracts: [PUNKS],
    rules: [
      {
        id: 'fall',
        metric: 'floor_change_pct.1h',
        when: 'below',
        threshold: '-4',
        keepFor: '1m',
      },
      { id: 'off', metric: 'sale_discount_pct.1d', when: 'above', threshold: '15' },
      {
        id: 'both',
        all: [floor, { metric: 'lowest_price.1d', when: 'below', threshold: '50' }],
        noData: { alert: '1h' },
      },
    ],
  });
  for (let minute = 0; minute < 11; minute += 1) await world.tick();
  world.pass(50 * 60_000);
  for (let minute = 0; minute < 11; minute += 1) await world.tick();
}

/** A chat and a webhook, whose secrets are replaced between two alerts. */
async function liveWithSecrets(world: World): Promise<void> {
  floorsAre(world, [
    [0, '65'],
    [2, '59'],
    [4, '71'],
    [6, '58'],
  ]);
  const put = (slack: string, ...secrets: readonly string[]) =>
    world.putList({
      id: 'punks',
      name: 'Punks',
      contracts: [PUNKS],
      rules: [{ id: 'low', metric: 'floor_price', when: 'below', threshold: '60', recover: '70' }],
      channels: [
        { id: 'team', kind: 'slack', url: slack },
        { id: 'bot', kind: 'webhook', url: 'https://example.com/hook', secrets: [...secrets] },
      ],
    });
  const [old, young] = ['o', 'y'].map(
    (letter) => `whsec_${Buffer.alloc(24, letter).toString('base64')}`,
  ) as [string, string];
  const slack = 'https://hooks.slack.com/services/T000/B000/s3cret';

  await put(slack, old);
  for (let minute = 0; minute < 3; minute += 1) await world.tick();
  await put(slack, young, `kept:${hashOfSecret(old)}`);
  for (let minute = 0; minute < 6; minute += 1) await world.tick();
}

/** A burst of alerts for two channels: one is down for a while, and the other returns 410. */
async function liveWithChannels(world: World): Promise<void> {
  const begun = world.now();
  floorsAre(world, [
    [0, '65'],
    [3, '59'],
    [6, '61'],
  ]);
  world.answers.channel = (destinationId, notification) => {
    if (destinationId === 'chat' && world.now() < begun + 5 * 60_000) {
      return { kind: 'failed', reason: '503' };
    }
    const recovered = notification.kind === 'alert' && notification.alert.kind === 'recovered';
    return destinationId === 'hook' && recovered
      ? { kind: 'gone', reason: 'HTTP 410 Gone' }
      : { kind: 'sent' };
  };
  const low = { metric: 'floor_price', when: 'below', threshold: '60' } as const;
  const silent = Array.from({ length: 6 }, (_, index) => ({
    ...{ ...low, id: `low-${index}`, notifyRecovery: false },
  }));
  const secret = `whsec_${Buffer.alloc(24, 's').toString('base64')}`;
  await world.putList({
    id: 'punks',
    name: 'Punks',
    contracts: [PUNKS],
    rules: [...silent, { ...low, id: 'low' }],
    channels: [
      { id: 'chat', kind: 'slack', url: 'https://hooks.slack.com/services/T0/B0/secret' },
      { id: 'hook', kind: 'webhook', url: 'https://example.com/hook', secrets: [secret] },
    ],
  });
  for (let minute = 0; minute < 12; minute += 1) await world.tick();
}

function floorsAre(world: World, floors: readonly (readonly [number, string])[]): void {
  const begun = world.now();
  const series = floors.map(([minute, price]) => ({
    time: begun + minute * 60_000,
    price: parseDecimal(price) ?? 0n,
    usd: (parseDecimal(price) ?? 0n) * 3000n,
    currency: 'eth',
    marketplaces: ['opensea'],
  }));
  world.answers.floor = (_contract, now) => ({
    kind: 'ok',
    value: series.filter(({ time }) => time <= now),
  });
}

function lowestAt(begun: Instant, now: Instant) {
  const later = now > begun + 8 * 60_000;
  return {
    time: later ? begun + 8 * 60_000 : begun - 60_000,
    price: parseDecimal(later ? '49' : '55') ?? 0n,
    tokenIds: ['1'],
  };
}

const messagesOf = ({ published }: World) =>
  published.map(
    ({ destinationId, alert }) =>
      `${destinationId} ${alert.kind} ${alert.rule} ${stableId(alert)} ${stableValue(alert)}`,
  );

/** The id of a channel_off alert contains the time at which the channel was switched off. */
const stableId = ({ kind, id }: Alert) => (kind === 'channel_off' ? id.replace(/\d+\./, '') : id);

/** The notifications by destination and id, without repetitions. */
const notificationsOf = ({ notifications }: World) =>
  new Map(
    notifications.map(({ destinationId, notification }) => [
      `${destinationId} ${notificationId(notification)}`,
      notification,
    ]),
  );

/** The alerts in these notifications, with their destinations. */
const alertsOf = (notifications: ReturnType<typeof notificationsOf>) =>
  [...notifications].flatMap(([place, notification]) =>
    (notification.kind === 'alert' ? [notification.alert] : notification.alerts).map(
      ({ id }) => `${place.split(' ')[0]} ${id}`,
    ),
  );

/** The age of data depends on the time of the evaluation, which a crash delays. */
const stableValue = ({ kind, value }: Alert) =>
  kind === 'stale' || kind === 'fresh' ? null : value;

const statesOf = async ({ log, stores }: World) => {
  log.killAfter = undefined;
  const watches = await stores.watches.ofList({ tenant: 'acme', list: 'punks' }, PUNKS);
  return watches.map(({ rule, state, episode, alerts, notified, admin }) => ({
    rule,
    state,
    episode,
    alerts,
    notified,
    admin,
  }));
};

/** The number of concurrent notifications whose outcome may not be stored yet at this call. */
const unmarkedAt = (calls: readonly string[], call: number) => {
  const last = calls.slice(0, call).findLastIndex((name) => name.startsWith('publish.'));
  if (last < call - 3) return 0;
  const isOther = (name: string) => name !== calls[last];
  const first = calls.slice(0, last).findLastIndex(isOther) + 1;
  const behind = calls.slice(last).findIndex(isOther);
  return last + behind - first;
};

const isEffect = (name: string) =>
  /^(?:table\.(?:put|delete|transact)|send\.|publish\.)/.test(name);

/** The numbers of the calls that write or send. A crash at a read would only repeat the read. */
const effectsAmong = (calls: readonly string[]) =>
  calls.flatMap((name, index) => (isEffect(name) ? [index + 1] : []));

const LIVES = [
  {
    life: 'a list that is edited',
    live: liveThrough,
    sent: [
      ['fired', 'low', '59.5'],
      ['fired', 'held', '61'],
      ['fired', 'usd', '213000'],
      ['recovered', 'held', '71'],
      ['recovered', 'low', '71'],
      ['fired', 'sale', '49'],
      ['recovered', 'usd', '198000'],
      ['closed', 'sale', null],
      ['fired', 'low', '58'],
      ['expired', 'end', null],
      ['recovered', 'low', '80'],
    ],
  },
  {
    life: 'a list that is muted',
    live: liveMuted,
    sent: [
      ['summary', 'low', '71'],
      ['fired', 'low', '58'],
      ['reminder', 'low', '58'],
      ['recovered', 'low', '72'],
      ['summary', 'low', '57'],
      ['expired', 'end', null],
      ['reminder', 'low', '57'],
    ],
  },
  {
    life: 'moves and missing data',
    live: liveThroughMoves,
    sent: [
      ['fired', 'fall', '-5'],
      ['fired', 'both', '57'],
      ['stale', 'both', null],
      ['recovered', 'fall', '0'],
      ['fired', 'off', '16.239316239316239316'],
      ['fresh', 'both', null],
      ['recovered', 'both', '58.5'],
    ],
  },
  {
    life: 'a list with secrets',
    live: liveWithSecrets,
    sent: [
      ['fired', 'low', '59'],
      ['recovered', 'low', '71'],
      ['fired', 'low', '58'],
    ],
  },
  {
    life: 'channels that are down or off',
    live: liveWithChannels,
    sent: [
      ...['low-0', 'low-4', 'low-1', 'low', 'low-3', 'low-2', 'low-5'].map((rule) => [
        ...['fired', rule, '59'],
      ]),
      ['recovered', 'low', '61'],
      ['channel_off', null, null],
    ],
  },
] as const;

describe.each(LIVES)(
  'a run with crashed functions and lost messages: $life',
  async ({ live, sent }) => {
    const undisturbed = createWorld({ cadenceMinutes: 1 });
    await live(undisturbed);
    const expected = messagesOf(undisturbed);
    const states = await statesOf(undisturbed);
    const calls = [...undisturbed.log.calls];
    const auditLog = await auditLogOf(undisturbed);

    it('an undisturbed run sends each of the expected alerts once', () => {
      expect(
        undisturbed.published
          .filter(({ destinationId }) => destinationId === 'stack-topic')
          .map(({ alert }) => [alert.kind, alert.rule, stableValue(alert)]),
      ).toEqual(sent);
      expect(new Set(expected).size).toBe(expected.length);
    });

    it('a crash after any write or send changes only the time at which alerts are sent', async () => {
      for (const call of casesOf(thirdOf(effectsAmong(calls)), 4)) {
        const world = createWorld({ cadenceMinutes: 1 });
        world.log.killAfter = call;

        await live(world);

        const died = `killed after call ${call}, ${calls[call - 1]}`;
        expect([...new Set(messagesOf(world))].toSorted(), died).toEqual(expected.toSorted());
        expect(await statesOf(world), died).toEqual(states);
        expect(await auditLogOf(world), died).toEqual(auditLog);
        const notifications = notificationsOf(world);
        const repeated = world.notifications.length - notifications.size;
        expect(repeated, died).toBeLessThanOrEqual(unmarkedAt(calls, call));
        // No alert may be repeated in another notification.
        expect(new Set(alertsOf(notifications)).size, died).toBe(alertsOf(notifications).length);
      }
    });

    it.each(['lost', 'doubled'] as const)(
      'a queue message that is %s changes only the time at which alerts are sent',
      async (fate) => {
        const messages = Array.from({ length: undisturbed.mail.sent }, (_, index) => index + 1);
        for (const message of casesOf(thirdOf(messages), 3)) {
          const world = createWorld({ cadenceMinutes: 1 });
          world.mail[fate] = message;

          await live(world);

          expect(messagesOf(world).toSorted(), `${fate}: ${message}`).toEqual(expected.toSorted());
          expect(await statesOf(world), `${fate}: ${message}`).toEqual(states);
        }
      },
    );
  },
);

/** The audit log as a set, so that an entry repeated after a crash counts once. */
async function auditLogOf(world: World): Promise<ReadonlySet<string>> {
  const auditLog = await world.auditLog();
  return new Set(
    auditLog.map(({ kind, revision, edit, subject }) =>
      // The name of an alert contains its time, which a crash may delay by a minute.
      JSON.stringify({ kind, revision, edit, subject: subject?.replace(/^.*~/, '') }),
    ),
  );
}

it('a secret is sent only to its destination', async () => {
  const world = createWorld({ cadenceMinutes: 1 });

  await liveWithSecrets(world);

  expect(new Set(world.posts.map(({ url }) => url))).toEqual(
    new Set(['https://hooks.slack.com/services/T000/B000/s3cret', 'https://example.com/hook']),
  );
  const left = JSON.stringify([
    world.table.items(),
    world.reports,
    world.posts.map(({ body }) => body),
  ]);
  expect(left).not.toMatch(/s3cret|whsec_|services/);
});
