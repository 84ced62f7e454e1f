import { afterEach, expect, it } from 'vitest';
import { createLocalTopics } from '#infra/local/local-topics.ts';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { startMarketServer } from '#infra/local/upstream/market-server.ts';
import { createSimulatedMarket } from '#infra/local/upstream/simulated-market.ts';
import { createWorld, type World } from '#infra/local/world.ts';
import { QUEUES } from '#infra/local/world-variables.ts';
import { findStage } from '#infra/stack/stages.ts';
import { publicHalfOf } from '#shared/clients/channel-key.ts';
import type { Notification } from '#shared/domain/alerting/notification.ts';
import { MINUTE } from '#shared/domain/market/instant.ts';
import { anHttpRequest, NOON } from '#test/support/builders.ts';
import { CHANNEL_KEY } from '#test/support/channel-keys.ts';
import { chatOriginsAt } from '#test/support/chats.ts';

const KEY = 'the key of the provider';
const stacks: AsyncDisposableStack[] = [];
afterEach(async () => {
  for (const stack of stacks.splice(0)) await stack.disposeAsync();
});

/** A world with a simulated market. Its clock stops between calls of `pass`. */
async function aWorld() {
  const opened = new AsyncDisposableStack();
  stacks.push(opened);
  let time = NOON;
  const now = () => time;
  const source = createSimulatedMarket(1, NOON);
  const upstream = await startMarketServer({ source, now, apiKey: KEY });
  opened.defer(upstream.close);
  const delivered: Notification[] = [];
  const failures: unknown[] = [];
  const world = createWorld({
    ...{ now, wallClock: now, table: createMemoryTable(), filesOf: () => ({}) },
    stage: findStage('dev', {
      ...{ upstreamUrl: upstream.url, pollCadenceMinutes: 1, webhookDestinations: 'loopback-only' },
      chatOrigins: chatOriginsAt('http://127.0.0.1:1'),
    }),
    publicUrl: () => 'http://127.0.0.1/v1/',
    topics: createLocalTopics(async (notification) => {
      delivered.push(notification);
    }),
    sendEmail: async () => ({ kind: 'accepted' }),
    parameters: new Map([
      ['/floorwatch/dev/upstream-key', KEY],
      ['/floorwatch/dev/channel-key', CHANNEL_KEY],
      ['/floorwatch/dev/channel-public-key', publicHalfOf(CHANNEL_KEY)],
      ['/floorwatch/dev/link-key', 'the key of links'],
    ]),
    print: () => {},
    onFailure: (error) => failures.push(error),
  });
  const { signal } = new AbortController();
  return {
    ...{ world, delivered, failures, contracts: source.contracts() },
    /** Lets some minutes pass, each with all that happens in it. */
    pass: async (minutes: number) => {
      for (let end = time + minutes * MINUTE; ; ) {
        await world.quiet(signal);
        const next = Math.min(world.asleepUntil() ?? Infinity, nextMinute(time));
        if (next > end) return;
        time = next;
        world.wake();
        if (time % MINUTE === 0) world.tick();
      }
    },
  };
}

const nextMinute = (time: number) => (Math.floor(time / MINUTE) + 1) * MINUTE;

async function makeList(world: World, list: object) {
  const answer = await world.functions['manage-watchlists'](
    anHttpRequest('POST /v1/watchlists', { body: JSON.stringify(list) }),
  );
  expect(answer).toMatchObject({ statusCode: 201 });
}

it('makes a message of a price', async () => {
  const { world, delivered, failures, contracts, pass } = await aWorld();
  const [{ contract } = { contract: '' }] = contracts;
  await makeList(world, {
    id: 'apes',
    name: 'Apes',
    contracts: [contract],
    rules: [{ id: 'low', metric: 'floor_price', when: 'below', threshold: '1000000' }],
    channels: [{ id: 'desk', kind: 'email', to: 'desk@example.com' }],
  });

  await pass(3);

  expect(failures).toEqual([]);
  expect(delivered).toMatchObject([{ kind: 'alert', alert: { kind: 'fired', rule: 'low' } }]);
  expect(QUEUES.flatMap(world.queues.deadLetters)).toEqual([]);
});
