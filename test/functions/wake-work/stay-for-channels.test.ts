import { expect, it } from 'vitest';
import { wakeWork } from '#functions/wake-work/wake-work.ts';
import { newChannelRecord } from '#shared/domain/channels/channel-record.ts';
import { type Instant, SECOND } from '#shared/domain/market/instant.ts';
import { createWorld } from '#test/support/world.ts';

const { signal } = new AbortController();
const DESK = 'acme#mine#desk';

/** A tick, by whose begin a channel is due after so many seconds; when it was sent its messages. */
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

it('a channel that is due within the minute waits ten seconds at most, not for the next tick', async () => {
  expect(await tickWith(25)).toEqual({ sent: [30], took: 50 });
});

it('a tick that finds no channel due soon ends at once', async () => {
  expect(await tickWith()).toEqual({ sent: [], took: 0 });
  expect(await tickWith(300)).toEqual({ sent: [], took: 0 });
});

it('a tick leaves to the next what is due after it, and sends once what was due before', async () => {
  expect((await tickWith(58)).sent).toEqual([]);
  expect((await tickWith(-5)).sent).toEqual([0]);
});

it('what comes to be due while a tick stays is sent, too', async () => {
  expect((await tickWith(100, 35)).sent).toEqual([40]);
});
