import { describe, expect, it } from 'vitest';
import { CONTACT_POINTS } from '#shared/domain/watchlists/contact-points.ts';
import { eth, linesSaid, PUNKS } from '#test/support/builders.ts';
import { createWorld, type World } from '#test/support/world.ts';

const email = (id: string) => ({ id, kind: 'email', to: `${id}@example.com` }) as const;
const hook = (id: string) => ({
  ...{ id, kind: 'webhook' as const, url: `https://example.com/${id}` },
  secrets: [SECRET],
});
const SECRET = `whsec_${'A'.repeat(32)}`;
const RULE = { id: 'low', metric: 'floor_price', when: 'below', threshold: '60' } as const;

function floorIs(world: World, price: string): void {
  const point = { time: world.now(), price: eth(price), currency: 'eth', marketplaces: [] };
  world.answers.floor = () => ({ kind: 'ok', value: [point] });
}

async function floorMoves(world: World, price: string): Promise<void> {
  floorIs(world, price);
  await world.tick();
}

const bodyOf = (given: object) => ({
  ...{ id: 'mine', name: 'Mine', contracts: [PUNKS], rules: [RULE] },
  ...given,
});

/** A list whose rules do not fire yet, and the contact points desk, pager and hook. */
async function watching(given: object, settings: Parameters<typeof createWorld>[0] = {}) {
  const world = createWorld({ cadenceMinutes: 1, ...settings });
  await world.putContactPoints(email('desk'), email('pager'), hook('hook'));
  floorIs(world, '65');
  await world.putList(bodyOf(given));
  await world.tick();
  await world.tick();
  return world;
}

/** The sent alerts as `channel kind`, sorted. */
const gotten = (world: World) =>
  world.published.map(({ destinationId, alert }) => `${destinationId} ${alert.kind}`).toSorted();
const ofChannels = (world: World) => gotten(world).filter((one) => !one.startsWith('stack-'));

describe('a contact point', () => {
  it('a contact point receives the alerts of each list that uses it, and of no other list', async () => {
    const world = await watching({ channels: ['desk', email('own')] });
    await world.putList(bodyOf({ id: 'other', channels: ['pager'] }));
    await world.tick();

    await floorMoves(world, '50');

    expect(ofChannels(world)).toEqual(['desk fired', 'own fired', 'pager fired']);
    const [alert] = world.published.filter(({ destinationId }) => destinationId === 'desk');
    expect(alert?.alert).toMatchObject({ watchlist: 'mine', rule: 'low' });
  });

  it('a contact point is subscribed and challenged once for all lists', async () => {
    const world = await watching({ channels: ['hook', 'desk'] });
    await world.putList(bodyOf({ id: 'other', channels: ['hook', 'desk'] }));
    await world.tick();

    await floorMoves(world, '50');

    expect(world.log.calls.filter((call) => call === 'prove.hook')).toHaveLength(1);
    expect(ofChannels(world)).toEqual(['desk fired', 'desk fired', 'hook fired', 'hook fired']);
  });

  it('a contact point that is off is reported to the other contact points, and to operators even with operatorAlerts "none"', async () => {
    const world = await watching({ channels: ['hook'] }, { operatorAlerts: 'none' });
    world.answers.channel = (id) =>
      id === 'hook' ? { kind: 'gone', reason: '410' } : { kind: 'sent' };

    await floorMoves(world, '50');

    expect(gotten(world)).toEqual([
      ...['desk channel_off', 'pager channel_off'],
      ...['stack-slack channel_off', 'stack-topic channel_off'],
    ]);
    expect(world.published[0]?.alert.title).toBe('Contact point "hook" is off');
  });

  it('a missing contact point is reported to the other channels of its list, and to operators', async () => {
    const world = await watching({ channels: ['desk', 'pager'] }, { operatorAlerts: 'none' });
    // Another version of the stack may have removed the contact point.
    const points = await world.stores.watchlists.get({ tenant: 'acme', id: CONTACT_POINTS });
    const [desk] = points?.channels ?? [];
    if (points === undefined || desk === undefined) throw new Error('there are none');
    await world.stores.watchlists.put({
      ...{ ...points, revision: points.revision + 1, channels: [desk] },
    });

    await floorMoves(world, '50');

    expect(gotten(world)).toEqual([
      ...['desk channel_off', 'desk fired'],
      ...['stack-slack channel_off', 'stack-topic channel_off'],
    ]);
    const off = world.published.find(({ alert }) => alert.kind === 'channel_off');
    expect(off && linesSaid(off.alert).join('\n')).toContain(
      'The contact point "pager" was deleted.',
    );
    expect(world.reports).toContainEqual({
      event: 'alerts_given_up',
      fields: expect.objectContaining({ destinationId: 'acme#~#pager', alerts: 1 }),
    });
  });
});

describe('an alert', () => {
  it('an alert and its recovery go to the channels that its rule names', async () => {
    const world = await watching({
      channels: ['desk', 'pager', email('own')],
      rules: [{ ...RULE, notify: ['pager', 'own'] }],
    });

    await floorMoves(world, '50');
    await floorMoves(world, '70');

    expect(ofChannels(world)).toEqual([
      ...['own fired', 'own recovered', 'pager fired', 'pager recovered'],
    ]);
  });

  it('an alert is sent to the channels of its severity, unless its rule names others', async () => {
    const world = await watching({
      channels: ['desk', 'pager'],
      notify: { critical: ['pager'] },
      rules: [
        { ...RULE, id: 'all' },
        { ...RULE, id: 'loud', severity: 'critical' },
        { ...RULE, id: 'aside', severity: 'critical', notify: ['desk'] },
      ],
    });

    await floorMoves(world, '50');

    const rules = world.published
      .filter(({ destinationId }) => !destinationId.startsWith('stack-'))
      .map(({ destinationId, alert }) => `${alert.rule} to ${destinationId}`);
    expect(rules.toSorted()).toEqual([
      ...['all to desk', 'all to pager', 'aside to desk', 'loud to pager'].toSorted(),
    ]);
  });

  it('if a rule is removed, the alert that closes its episode is sent to the channels of its earlier alerts', async () => {
    const channels = ['desk', 'pager'];
    const world = await watching({ channels, rules: [{ ...RULE, notify: ['pager'] }] });
    await floorMoves(world, '50');

    await world.putList(bodyOf({ channels, rules: [] }));
    await world.tick();

    expect(ofChannels(world)).toEqual(['pager closed', 'pager fired']);
  });

  it.each([
    ['none', []],
    ['critical', ['loud']],
    ['all', ['low', 'loud']],
  ] as const)(
    'with operatorAlerts "%s", operators receive the alerts of these tenant rules: %j',
    async (operatorAlerts, rules) => {
      const world = await watching(
        { rules: [RULE, { ...RULE, id: 'loud', severity: 'critical' }] },
        { operatorAlerts },
      );

      await floorMoves(world, '50');

      const heard = world.published.map(({ alert }) => alert.rule);
      expect(new Set(heard)).toEqual(new Set(rules));
    },
  );
});
