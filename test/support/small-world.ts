import { createLocalTopics } from '#infra/local/local-topics.ts';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { createWorld, type World, type WorldOptions } from '#infra/local/world.ts';
import { findStage } from '#infra/stack/stages.ts';
import { publicHalfOf } from '#shared/clients/channel-key.ts';
import { publicPushKeyOf } from '#shared/clients/push-key.ts';
import type { Notification } from '#shared/domain/alerting/notification.ts';
import { type Instant, nextMinute } from '#shared/domain/market/instant.ts';
import { CHANNEL_KEY } from '#test/support/channel-keys.ts';
import { chatOriginsAt } from '#test/support/chats.ts';
import { PUSH_KEY } from '#test/support/push-key.ts';

export const MARKET_KEY = 'the key of the provider';

type Options = Pick<WorldOptions, 'onFailure'> &
  Partial<Pick<WorldOptions, 'table' | 'messages' | 'hook'>> & {
    readonly upstreamUrl: string;
    /** Only `passUntil` advances the clock. */
    readonly clock: { time: Instant };
    readonly topics?: Parameters<typeof createLocalTopics>[1];
    readonly deliver: (notification: Notification) => void;
  };

/** A world with a market, and a function that advances its time. */
export type SmallWorld = {
  readonly world: World;
  /** Advances the time to `end`, and runs everything that is due. */
  readonly passUntil: (end: Instant) => Promise<void>;
};

export function aSmallWorld({
  upstreamUrl,
  clock,
  deliver,
  table = createMemoryTable(),
  topics,
  ...rest
}: Options): SmallWorld {
  const now = () => clock.time;
  const world = createWorld({
    ...rest,
    ...{ now, wallClock: now, table, filesOf: () => ({}), print: () => {} },
    stage: findStage('dev', {
      ...{ upstreamUrl, pollCadenceMinutes: 1, webhookDestinations: 'loopback-only' },
      chatOrigins: chatOriginsAt('http://127.0.0.1:1'),
    }),
    publicUrl: () => 'http://127.0.0.1/v1/',
    topics: createLocalTopics(async (notification) => deliver(notification), topics),
    sendEmail: async () => ({ kind: 'accepted' }),
    parameters: new Map([
      ['/floorwatch/dev/upstream-key', MARKET_KEY],
      ['/floorwatch/dev/channel-key', CHANNEL_KEY],
      ['/floorwatch/dev/channel-public-key', publicHalfOf(CHANNEL_KEY)],
      ['/floorwatch/dev/push-key', PUSH_KEY],
      ['/floorwatch/dev/push-public-key', publicPushKeyOf(PUSH_KEY)],
      ['/floorwatch/dev/link-key', 'the key of links'],
    ]),
  });
  const { signal } = new AbortController();
  return {
    world,
    passUntil: async (end) => {
      for (;;) {
        await world.quiet(signal);
        const next = Math.min(world.asleepUntil() ?? Infinity, nextMinute(clock.time));
        if (next > end) return;
        clock.time = next;
        world.wake();
        if (nextMinute(next - 1) === next) world.tick();
      }
    },
  };
}
