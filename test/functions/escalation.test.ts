import { describe, expect, it } from 'vitest';
import { pagerdutyDouble } from '#shared/channels/pagerduty/double.ts';
import { MINUTE } from '#shared/domain/market/instant.ts';
import { LONGEST_MUTE } from '#shared/domain/watchlists/mute.ts';
import { openEpisodeOf } from '#shared/domain/watchlists/muted-watch.ts';
import { eth, PUNKS } from '#test/support/builders.ts';
import { createWorld, type World } from '#test/support/world.ts';

const PAGER = { ...pagerdutyDouble.channel, id: 'pager' };
const DESK = { id: 'desk', kind: 'email', to: 'desk@example.com' } as const;
type List = Parameters<World['putList']>[0];
const RULE: NonNullable<List['rules']>[number] = {
  ...({ id: 'low', metric: 'floor_price', when: 'below', threshold: '60', steps: '10' } as const),
  ...({ severity: 'critical', repeat: { reminder: '2h' } } as const),
};
const LIST = {
  ...{ id: 'mine', name: 'Mine', contracts: [PUNKS], channels: [DESK, PAGER] },
  escalate: { after: '15m', to: ['pager'] },
};

/** A list whose rule has just fired, and the alerts that each of its channels received. */
async function firing({ rules = [RULE], ...given }: Partial<List> = {}) {
  const world = createWorld({ cadenceMinutes: 1, operatorAlerts: 'none' });
  const floorIs = (price: string) => {
    const point = { time: world.now(), price: eth(price), currency: 'eth', marketplaces: [] };
    world.answers.floor = () => ({ kind: 'ok', value: [point] });
  };
  const put = async (changed: Partial<List> = {}) =>
    await world.putList({ ...LIST, rules, ...given, ...changed });
  const minutes = async (count: number) => {
    for (let minute = 0; minute < count; minute += 1) await world.tick();
  };
  const got = (channel: string) =>
    world.published.flatMap(({ destinationId, alert }) =>
      destinationId === channel ? [alert.kind] : [],
    );
  floorIs('59');
  await put();
  await minutes(2);
  return { world, floorIs, put, minutes, got };
}

/** Mutes the open episode of the rule until it recovers. */
async function snooze(world: World): Promise<void> {
  const about = { tenant: 'acme', list: 'mine', rule: 'low', contract: PUNKS };
  const watch = await world.stores.watches.get(about);
  const open = [watch && openEpisodeOf(watch)].filter((episode) => episode !== undefined);
  const given = { rule: 'low', contract: PUNKS, episodes: open };
  await world.mute('mine', LONGEST_MUTE / MINUTE, given);
}

it('a critical episode that nobody acknowledges is escalated once', async () => {
  const { world, minutes, got } = await firing();

  await minutes(14);
  const before = got('pager');
  await minutes(100);

  expect(before).toEqual([]);
  expect(got('pager')).toEqual(['escalated']);
  expect(got('desk')).toEqual(['fired']);
  expect(world.published.at(-1)?.alert).toMatchObject({
    title: expect.stringMatching(/^Not acknowledged for 1[56] min: .* below 60 ETH: 59 ETH$/),
    ...{ severity: 'critical', open: true, value: '59' },
    // The id contains the id of the first alert, because episode numbers may repeat.
    id: `${world.published[0]?.alert.id}-escalated`,
  });
});

it('an escalation shows the newest value with its age, and the threshold', async () => {
  const { world, floorIs, minutes } = await firing();

  await minutes(8);
  floorIs('57');
  await minutes(9);

  const { alert } = world.published.at(-1) ?? {};
  expect(alert).toMatchObject({ kind: 'escalated', value: '57', threshold: '60', open: true });
  expect(alert?.title).toMatch(/^Not acknowledged for 1[56] min: .* below 60 ETH: 57 ETH$/);
  const facts = alert?.facts.map(({ name, value }) => `${name}: ${value}`);
  expect(facts).toContainEqual(expect.stringMatching(/^Newest value: 57 ETH, [678] min old$/));
  expect(facts?.filter((fact) => fact.includes('59 ETH'))).toEqual([]);
});

it('the channels of an escalation receive later alerts of the same episode, but none of the next episode', async () => {
  const { floorIs, minutes, got } = await firing();
  await minutes(16);

  for (const price of ['49', '61', '58']) {
    floorIs(price);
    await minutes(2);
  }

  expect(got('pager')).toEqual(['escalated', 'worsened', 'recovered']);
  expect(got('desk')).toEqual(['fired', 'worsened', 'recovered', 'fired']);
});

it('PagerDuty resolves the incident that an escalation opened', async () => {
  const { world, floorIs, minutes } = await firing();
  await minutes(16);
  await world.acknowledge('mine', 'low', PUNKS);
  await minutes(1);
  floorIs('61');
  await minutes(2);

  const events = world.posts.map(
    ({ body }) => JSON.parse(body) as { event_action: string; dedup_key: string },
  );

  expect(events.map(({ event_action }) => event_action)).toEqual([
    ...['trigger', 'acknowledge', 'resolve'],
  ]);
  expect(new Set(events.map(({ dedup_key }) => dedup_key)).size).toBe(1);
});

describe('an episode that is not escalated', () => {
  it('an episode that is acknowledged in time is not escalated', async () => {
    const { world, minutes, got } = await firing();
    await minutes(10);
    await world.acknowledge('mine', 'low', PUNKS);

    await minutes(30);

    expect(got('pager')).toEqual([]);
  });

  it('an episode that ends in time is not escalated', async () => {
    const { floorIs, minutes, got } = await firing();
    floorIs('61');

    await minutes(30);

    expect(got('pager')).toEqual([]);
  });

  it('an episode of a rule that is not critical is not escalated', async () => {
    const { minutes, got } = await firing({ rules: [{ ...RULE, severity: 'warning' }] });

    await minutes(30);

    expect(got('desk')).toEqual(['fired']);
    expect(got('pager')).toEqual([]);
  });

  it.each<[string, Partial<List>]>([
    ['its list no longer escalates', { escalate: undefined }],
    ['its rule is no longer critical', { rules: [{ ...RULE, severity: 'info' as const }] }],
  ])('an episode is not escalated if %s', async (_, changed) => {
    const { put, minutes, got } = await firing();
    await put({ ...changed, notify: { critical: ['desk'], info: ['desk'] } });

    await minutes(30);

    expect(got('pager')).toEqual([]);
  });
});

it('the escalation of a muted episode waits for the end of the mute', async () => {
  const { world, minutes, got } = await firing();
  await world.mute('mine', 40);

  await minutes(39);
  const before = got('pager');
  await minutes(3);

  expect(before).toEqual([]);
  expect(got('pager')).toEqual(['escalated']);
});

it('an episode that recovers under a mute until recovery is never escalated', async () => {
  const { world, floorIs, minutes, got } = await firing();
  await snooze(world);

  await minutes(60);
  floorIs('70');
  await minutes(3);

  expect(got('pager')).toEqual([]);
  expect(got('desk')).toEqual(['fired', 'recovered']);
});

it('an escalation waits its full time again after a mute until recovery is lifted', async () => {
  const { world, minutes, got } = await firing();
  await snooze(world);
  await minutes(60);
  await world.liftMute('mine');

  await minutes(14);
  const before = got('pager');
  await minutes(3);

  expect(before).toEqual([]);
  expect(got('pager')).toEqual(['escalated']);
});

it('an episode that fired under a mute is escalated if nobody acknowledges it in time after the summary', async () => {
  const { world, floorIs, minutes, got } = await firing({ rules: [] });
  await world.mute('mine', 30);
  await world.putList({ ...LIST, rules: [RULE] });
  floorIs('59');
  await minutes(32);

  await minutes(13);
  const before = got('pager');
  await minutes(3);

  expect(got('desk')).toEqual(['summary']);
  expect(before).toEqual([]);
  expect(got('pager')).toEqual(['escalated']);
});

it('a rule that notifies the escalation channels sends them its alerts from the start', async () => {
  const { minutes, got } = await firing({ rules: [{ ...RULE, notify: ['desk', 'pager'] }] });

  await minutes(20);

  expect(got('pager')).toEqual(['fired', 'escalated']);
});

it('the job of an escalation is deleted after its episode has ended', async () => {
  const { world, floorIs, minutes } = await firing();
  await minutes(20);
  const job = () =>
    world.stores.jobs.get(
      { tenant: 'acme', id: 'mine' },
      { kind: 'escalation', rule: 'low', contract: PUNKS, generation: 1, episode: 1 },
    );
  const kept = await job();
  floorIs('61');

  await minutes(62);

  expect(kept).toMatchObject({ escalatedAt: expect.any(Number) });
  expect(await job()).toBeUndefined();
});

it('a list without escalation has no escalation job', async () => {
  const { world } = await firing({ escalate: undefined, channels: [DESK] });

  expect(world.table.items().filter(({ sk }) => sk.includes('#escalation#'))).toEqual([]);
  expect(world.now()).toBeGreaterThan(2 * MINUTE);
});
