import { expect, it } from 'vitest';
import { wakeWork } from '#functions/wake-work/wake-work.ts';
import { newChannelRecord } from '#shared/domain/channels/channel-record.ts';
import { type Instant, SECOND } from '#shared/domain/market/instant.ts';
import { createWorld } from '#test/support/world.ts';

const { signal } = new AbortController();
const DESK = 'acme#mine#desk';

/**
 * A tick with channels that become due at these seconds after its start. Returns the seconds at
 * which it sent messages, and its duration.
 */
async function tickWith(...dueAfter: readonly number[]) {
  const world = createWorld();
  const begun = world.now();
  const put = async (dueAt: Instant) => {
    const known = await world.stores.channels.get(DESK);
    await world.stores.channels.put({ ...(known ?? newChannelRecord(DESK, begun)), dueAt });
  };
  const [first, ...later] = dueAfter;
  if (first !== undefined) await put(begun + first * SECOND);
  const sent: number[] = [];
  await wakeWork(
    {
      ...world.ports.wake,
      sleepUntil: async (instant) => {
        world.pass(Math.max(0, instant - world.now()));
        const next = later.shift();
        if (next !== undefined) await put(begun + next * SECOND);
      },
      sendToChannels: async (messages) => {
        sent.push(...messages.map(() => (world.now() - begun) / SECOND));
      },
    },
    signal,
  );
  return { sent, took: (world.now() - begun) / SECOND };
}

it('a channel that becomes due within the minute waits at most ten seconds, not for the next tick', async () => {
  expect(await tickWith(25)).toEqual({ sent: [30], took: 50 });
});

it('a tick without channels that are due soon ends immediately', async () => {
  expect(await tickWith()).toEqual({ sent: [], took: 0 });
  expect(await tickWith(300)).toEqual({ sent: [], took: 0 });
});

it('a tick leaves later channels to the next tick, and sends overdue ones once', async () => {
  expect((await tickWith(58)).sent).toEqual([]);
  expect((await tickWith(-5)).sent).toEqual([0]);
});

it('a channel that becomes due while a tick is waiting is also sent', async () => {
  expect((await tickWith(100, 35)).sent).toEqual([40]);
});
