import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Hints } from '#shared/domain/channels/hints.ts';
import { createChannelWaker } from '#shared/use-cases/wake-channels.ts';
import { NOON } from '#test/support/builders.ts';

it('writes the destinations of alerts one after the other: the last write has all of them', async () => {
  const writes: string[] = [];
  const sender = createChannelWaker({
    now: () => NOON,
    newVersion: () => 1,
    messagesTo: async () => [],
    sendToChannels: async () => {},
    putHints: async ({ destinations }: Hints) => {
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
