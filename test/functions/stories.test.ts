import { expect, it } from 'vitest';
import { discordDouble } from '#shared/channels/discord/double.ts';
import { slackDouble } from '#shared/channels/slack/double.ts';
import { keyOfWrite, type Table } from '#shared/stores/table.ts';
import { eth, PUNKS } from '#test/support/builders.ts';
import { createWorld, type World } from '#test/support/world.ts';

const SLACK = { ...slackDouble.channel, id: 'slack' };
const DISCORD = { ...discordDouble.channel, id: 'discord' };
const WEBHOOK = {
  ...({ id: 'hook', kind: 'webhook', url: 'https://hook.example.com/' } as const),
  secrets: [`whsec_${btoa('a secret of twenty-four by')}`],
};
const PAGER = { id: 'pager', kind: 'email', to: 'pager@example.com' } as const;
type List = Parameters<World['putList']>[0];

/** The kind of an item, by its key. */
function kindOf({ pk, sk }: { readonly pk: string; readonly sk?: string }): string {
  const [partition = '', sort = ''] = [pk, sk ?? ''].map((part) => part.split('#')[0]);
  if (partition === 'INBOX') return sk?.startsWith('~') ? 'INBOX muted' : 'INBOX';
  const isSorted = partition === 'TENANT' || partition === 'LIST' || partition === 'STACK';
  return isSorted && sk !== undefined ? sort : partition;
}

type CallsOf = { readonly of: string; readonly calls: readonly (string | undefined)[] };

/** Removes the calls that the schedule causes even if there is no work. */
function ofTheWork({ of, calls }: CallsOf): CallsOf {
  if (of === 'wake-work') return { of, calls: [] };
  if (of !== 'poll-prices') return { of, calls };
  const asked = calls.findIndex((call) => call?.startsWith('upstream.'));
  return { of, calls: asked < 0 ? [] : calls.slice(asked, -1) };
}

/** A list in a world that records each call to the table with the kinds of its items. */
async function runList(given: Partial<List>) {
  const keys: string[] = [];
  const noting = (table: Table): Table => ({
    get: (key) => {
      keys.push(`get ${kindOf(key)}`);
      return table.get(key);
    },
    put: (item, version) => {
      keys.push(`put ${kindOf(item)}`);
      return table.put(item, version);
    },
    delete: (key, version) => {
      keys.push(`delete ${kindOf(key)}`);
      return table.delete(key, version);
    },
    transact: (writes) => {
      const named = writes.map(
        (write) => `${'put' in write ? 'put' : 'delete'} ${kindOf(keyOfWrite(write))}`,
      );
      const counted = [...Map.groupBy(named, (name) => name)].map(([name, { length }]) =>
        length === 1 ? name : `${length} × ${name}`,
      );
      keys.push(`transact (${counted.join(', ')})`);
      return table.transact(writes);
    },
    query: (query) => {
      keys.push(`query ${kindOf({ pk: query.pk })}`);
      return table.query(query);
    },
    queryThresholdIndex: (query) => {
      keys.push(`query ${query.index}`);
      return table.queryThresholdIndex(query);
    },
    due: (...asked) => {
      keys.push('query due');
      return table.due(...asked);
    },
  });
  const world = createWorld({ cadenceMinutes: 1, operatorAlerts: 'none', reached: noting });
  const floorIs = (price: string) => {
    const point = { time: world.now(), price: eth(price), currency: 'eth', marketplaces: [] };
    world.answers.floor = () => ({ kind: 'ok', value: [point] });
  };
  const rules = given.rules ?? [
    { id: 'low', metric: 'floor_price', when: 'below', threshold: '60' },
  ];
  const put = async (changed: Partial<List> = {}) =>
    await world.putList({
      id: 'mine',
      name: 'Mine',
      contracts: [PUNKS],
      ...given,
      rules,
      ...changed,
    });
  const minutes = async (count: number) => {
    for (let minute = 0; minute < count; minute += 1) await world.tick();
  };
  floorIs('65');
  await put();
  await minutes(3);

  /**
   * Counts and lists the calls of all functions during this work. For a pass, counting starts at
   * its first call to a provider.
   */
  const story = async (name: string, work: () => Promise<unknown>): Promise<string> => {
    const { starts, calls } = world.log;
    const [first, from, known] = [starts.length, calls.length, keys.length];
    await work();
    const found = keys.slice(known).values();
    const named = calls
      .slice(from)
      .map((call) => (call.startsWith('table.') ? found.next().value : call));
    const begun = [{ name: 'request', at: from }, ...starts.slice(first)];
    const parts = begun.map(({ name: of, at }, index) => ({
      of,
      calls: named.slice(at - from, (begun[index + 1]?.at ?? calls.length) - from),
    }));
    const shown = parts.map(ofTheWork).filter((part) => part.calls.length > 0);
    const all = shown.flatMap((part) => part.calls);
    const count = (pattern: RegExp) => all.filter((call) => pattern.test(call ?? '')).length;
    const invocations = shown.filter(({ of }) => of !== 'request').length;
    return [
      `${name}: ${all.length} calls, ${count(/^(put|delete|transact) /)} write requests, ${count(/^send\./)} sends, ${invocations} invocations`,
      ...shown.flatMap((part) => [`  ${part.of}`, ...part.calls.map((call) => `    ${call}`)]),
    ].join('\n');
  };
  return { world, floorIs, put, minutes, story };
}

it('the cost of each story is recorded (vitest --update writes it)', async () => {
  const stories: string[] = [];
  const five = Array.from({ length: 5 }, (_, index) => ({
    ...{ id: `low-${index}`, metric: 'floor_price', when: 'below' as const, threshold: '60' },
  }));

  const firing = await runList({ channels: [SLACK] });
  firing.floorIs('59');
  stories.push(await firing.story('One alert to one Slack channel', () => firing.minutes(1)));

  const digest = await runList({ channels: [SLACK], rules: five });
  digest.floorIs('59');
  stories.push(await digest.story('Five alerts in one message', () => digest.minutes(1)));

  const muted = await runList({ channels: [SLACK] });
  stories.push(await muted.story('A mute is set', () => muted.world.mute('mine', 600)));
  muted.floorIs('59');
  stories.push(await muted.story('An alert under a mute', () => muted.minutes(1)));
  stories.push(
    await muted.story('A mute is lifted', async () => {
      await muted.world.liftMute('mine');
      await muted.world.drain();
    }),
  );

  const acknowledged = async (name: string, channel: typeof DISCORD | typeof WEBHOOK) => {
    const { world, floorIs, minutes, story } = await runList({ channels: [channel] });
    floorIs('59');
    await minutes(2);
    return await story(name, async () => {
      await world.acknowledge('mine', 'low', PUNKS);
      await world.drain();
    });
  };
  stories.push(await acknowledged('An acknowledgement that a message shows', DISCORD));

  const closed = await runList({ channels: [SLACK] });
  closed.floorIs('59');
  await closed.minutes(2);
  stories.push(
    await closed.story('An edit that closes an episode', async () => {
      await closed.put({ rules: [] });
      await closed.world.drain();
    }),
  );

  const hundred = Array.from({ length: 100 }, (_, n) => `eth:0x${String(n).padStart(40, '0')}`);
  const large = await runList({ contracts: hundred });
  stories.push(
    await large.story('A list of a hundred contracts is changed: the request', () =>
      large.put({ rules: [{ id: 'low', metric: 'floor_price', when: 'below', threshold: '61' }] }),
    ),
  );

  stories.push(await acknowledged('An acknowledgement that no message shows', WEBHOOK));

  const escalated = await runList({
    channels: [SLACK, PAGER],
    escalate: { after: '15m', to: ['pager'] },
    rules: [
      ...[{ id: 'low', metric: 'floor_price', when: 'below' as const, threshold: '60' }].map(
        (rule) => ({
          ...rule,
          severity: 'critical' as const,
        }),
      ),
    ],
  });
  escalated.floorIs('59');
  await escalated.minutes(15);
  stories.push(await escalated.story('An escalation', () => escalated.minutes(2)));

  const dead = await runList({ channels: [SLACK] });
  dead.world.answers.channel = () => ({ kind: 'failed', reason: 'HTTP 503' });
  dead.floorIs('59');
  await dead.minutes(1);
  dead.floorIs('65');
  stories.push(await dead.story('A dead channel, with one more alert', () => dead.minutes(1)));

  const round = await runList({ channels: [WEBHOOK], rules: five });
  round.floorIs('59');
  stories.push(await round.story('Five alerts to a webhook', () => round.minutes(1)));

  await expect(`${stories.join('\n\n')}\n`).toMatchFileSnapshot('stories.txt');
});
