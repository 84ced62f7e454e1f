import { expect, it } from 'vitest';
import { composeDeliverMessages } from '#functions/deliver-messages/compose.ts';
import { deliverMessages } from '#functions/deliver-messages/deliver-messages.ts';
import type { DeliverMessagesPorts } from '#functions/deliver-messages/ports.ts';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { newChannelRecord } from '#shared/domain/channels/channel-record.ts';
import { MINUTE } from '#shared/domain/market/instant.ts';
import { createChannelStore } from '#shared/stores/channel-store.ts';
import type { Table } from '#shared/stores/table.ts';
import { postAlerts } from '#shared/use-cases/post-alerts.ts';
import { anAlert, NOON } from '#test/support/builders.ts';
import { anOutside } from '#test/support/outside.ts';

const DESTINATION = 'stack-topic';

/** Lets two actors make their table calls in the order that a test says, one after the other. */
function taking(turns: readonly ('poster' | 'sender')[]) {
  const memory = createMemoryTable();
  const left = [...turns];
  const waiting: { readonly worker: string; readonly go: () => void }[] = [];
  const done = new Set<string>();
  /** Runs the next call of the worker whose turn it is, and skips workers that have finished. */
  const next = () => {
    while (left[0] !== undefined && done.has(left[0])) left.shift();
    const worker = left[0] ?? waiting[0]?.worker;
    const index = waiting.findIndex((one) => one.worker === worker);
    const [call] = index < 0 ? [] : waiting.splice(index, 1);
    if (call === undefined) return;
    if (worker === left[0]) left.shift();
    call.go();
  };
  const tableOf = (worker: string): Table => {
    const gated =
      <Args extends readonly unknown[], Result>(work: (...args: Args) => Promise<Result>) =>
      async (...args: Args) => {
        await new Promise<void>((go) => {
          waiting.push({ worker, go });
          next();
        });
        const result = await work(...args);
        queueMicrotask(next);
        return result;
      };
    return {
      get: gated(memory.get),
      put: gated(memory.put),
      delete: gated(memory.delete),
      transact: gated(memory.transact),
      query: gated(memory.query),
      queryThresholdIndex: memory.queryThresholdIndex,
      due: memory.due,
    };
  };
  const finished = (worker: string) => {
    done.add(worker);
    next();
  };
  return { memory, tableOf, finished };
}

/** All orders of so many turns of each. */
function orders(posts: number, sends: number): readonly ('poster' | 'sender')[][] {
  if (posts === 0) return [Array(sends).fill('sender')];
  if (sends === 0) return [Array(posts).fill('poster')];
  return [
    ...orders(posts - 1, sends).map((rest) => ['poster' as const, ...rest]),
    ...orders(posts, sends - 1).map((rest) => ['sender' as const, ...rest]),
  ];
}

it('a worker that finishes and a worker that posts never miss each other', async () => {
  for (const turns of orders(4, 6)) {
    const { memory, tableOf, finished } = taking(turns);
    const sent: string[] = [];
    const portsOf = (worker: string): DeliverMessagesPorts => {
      const table = tableOf(worker);
      return {
        ...composeDeliverMessages(anOutside({ table: () => table })).ports,
        messageLinks: async () => ({}),
        send: async (_destination, notification) => {
          if (notification.kind === 'alert') sent.push(notification.alert.id);
          return { kind: 'accepted' };
        },
        prove: async () => ({ kind: 'sent' }),
        // The hint is lost: only the timer is left.
        sendToChannels: async () => {},
        remainingTime: () => 30_000,
      };
    };
    const alert = anAlert();
    const records = createChannelStore(memory);
    await records.put({ ...newChannelRecord(DESTINATION, NOON), dueAt: NOON });

    const { signal } = new AbortController();
    const work = {
      poster: () => postAlerts(portsOf('poster'), [alert], [DESTINATION]),
      sender: () => deliverMessages(portsOf('sender'), { destinationId: DESTINATION }, signal),
    };
    await Promise.all(
      (['poster', 'sender'] as const).map((worker) =>
        work[worker]().finally(() => finished(worker)),
      ),
    );

    const dueAt = (await records.get(DESTINATION))?.dueAt;
    expect(sent.length === 1 || dueAt === NOON + 2 * MINUTE || dueAt === NOON, turns.join()).toBe(
      true,
    );
  }
});
