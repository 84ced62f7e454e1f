import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { PostIntent } from '#shared/domain/channels/post-intent.ts';
import { createChannelWaker } from '#shared/use-cases/wake-channels.ts';
import { NOON } from '#test/support/builders.ts';

it('writes the destinations of alerts one write at a time, so that the last write contains all of them', async () => {
  const writes: string[] = [];
  const sender = createChannelWaker({
    now: () => NOON,
    newVersion: () => 1,
    messagesTo: async () => [],
    sendToChannels: async () => {},
    putPostIntent: async ({ destinations }: PostIntent) => {
      writes.push(`begin ${destinations.join()}`);
      await setImmediate();
      writes.push(`end ${destinations.join()}`);
    },
  });

  await Promise.all([
    sender.announce(['stack-topic']),
    sender.announce(['stack-slack']),
    sender.announce(['stack-topic']),
  ]);

  expect(writes).toEqual([
    ...['begin stack-topic', 'end stack-topic'],
    ...['begin stack-topic,stack-slack', 'end stack-topic,stack-slack'],
  ]);
});
