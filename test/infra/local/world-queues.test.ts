import { describe, expect, it } from 'vitest';
import type { Invoke } from '#infra/local/world-functions.ts';
import { createWorldQueues, NOT_KEPT } from '#infra/local/world-queues.ts';
import { createWorldTime } from '#infra/local/world-time.ts';
import { queueUrl } from '#infra/local/world-variables.ts';
import { MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import { withTrace } from '#shared/runtime/trace.ts';
import { NOON } from '#test/support/builders.ts';

type Batch = { readonly Records: readonly Record[] };
type Record = {
  readonly messageId: string;
  readonly body: string;
  readonly attributes: { readonly MessageGroupId: string };
  readonly messageAttributes: { readonly trace?: { readonly stringValue: string } };
};

/** The queues of a world. Each batch of the queue `lists` is passed to `handle`. */
function aWorld(
  handle: (bodies: readonly string[]) => 'ok' | 'fails' | 'first fails' | Promise<'ok'>,
  { batchSize = 10, maxConcurrency = 5 } = {},
) {
  let time = NOON;
  const now = () => time;
  const worldTime = createWorldTime(now);
  const batches: (readonly string[])[] = [];
  const traces: (string | undefined)[] = [];
  const failures: unknown[] = [];
  const invoke: Invoke = (event) =>
    worldTime.during(async () => {
      const { Records } = event as Batch;
      const bodies = Records.map(({ body }) => JSON.parse(body) as string);
      batches.push(bodies);
      traces.push(...Records.map(({ messageAttributes }) => messageAttributes.trace?.stringValue));
      const outcome = await handle(bodies);
      if (outcome === 'fails') throw new Error('it fails');
      const failed = outcome === 'first fails' ? Records : [];
      return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
    });
  const consumer = { invoke, batchSize, maxConcurrency, timeoutSeconds: 30 };
  const queues = createWorldQueues({
    ...{ now, time: worldTime, onFailure: (error) => failures.push(error) },
    messages: NOT_KEPT,
    consumers: { contracts: consumer, lists: consumer, channels: consumer },
  });
  const { signal } = new AbortController();
  return {
    ...{ queues, batches, traces, failures },
    send: (...messages: readonly (readonly [group: string, body: string, id?: string])[]) =>
      queues.send(
        queueUrl('lists'),
        messages.map(([group, message, deduplication = message]) => ({
          ...{ group, message, deduplication },
        })),
      ),
    /** Advances time by this number of milliseconds, and runs all events until then. */
    pass: async (milliseconds: number) => {
      for (const end = time + milliseconds; ; ) {
        await worldTime.quiet(signal);
        const next = worldTime.asleepUntil() ?? end;
        time = Math.min(next, end);
        worldTime.wake();
        await worldTime.quiet(signal);
        if (next >= end) return;
      }
    },
  };
}

describe('a queue of a world', () => {
  it('a queue delivers the messages of a group in order, and other groups in parallel', async () => {
    const { batches, send, pass } = aWorld(() => 'ok', { batchSize: 2 });

    await send(['a', '1'], ['b', '2'], ['a', '3'], ['a', '4']);
    await pass(0);

    expect(batches).toEqual([['1', '3'], ['2'], ['4']]);
  });

  it('a queue delivers one batch of a group at a time', async () => {
    const first = Promise.withResolvers<'ok'>();
    const { batches, send } = aWorld(([body]) => (body === '1' ? first.promise : 'ok'), {
      batchSize: 1,
    });

    await send(['a', '1'], ['a', '2'], ['b', '3']);
    await new Promise(setImmediate);
    const before = batches.flat();
    first.resolve('ok');
    await new Promise(setImmediate);

    expect(before).toEqual(['1', '3']);
    expect(batches.flat()).toEqual(['1', '3', '2']);
  });

  it('a queue delivers no more batches in parallel than its concurrency allows', async () => {
    const gate = Promise.withResolvers<'ok'>();
    const { batches, send } = aWorld(() => gate.promise, { maxConcurrency: 2 });

    await send(['a', '1'], ['b', '2'], ['c', '3']);
    await new Promise(setImmediate);
    const before = batches.length;
    gate.resolve('ok');
    await new Promise(setImmediate);

    expect([before, batches.length]).toEqual([2, 3]);
  });

  it.each(['fails', 'first fails'] as const)(
    'a queue redelivers a message that %s after its visibility timeout, while its group waits',
    async (outcome) => {
      let tries = 0;
      const { batches, send, pass } = aWorld(
        () => {
          tries += 1;
          return tries === 1 ? outcome : 'ok';
        },
        { batchSize: 1 },
      );

      await send(['a', '1'], ['a', '2']);
      await pass(179 * SECOND);
      const before = batches.flat();
      await pass(2 * SECOND);

      expect(before).toEqual(['1']);
      expect(batches.flat()).toEqual(['1', '1', '2']);
    },
  );

  it('a queue moves a message that fails four times to its dead-letter queue', async () => {
    const { queues, batches, failures, send, pass } = aWorld(() => 'fails');

    await send(['a', '1']);
    await pass(20 * MINUTE);

    expect(batches).toHaveLength(4);
    expect(failures).toHaveLength(4);
    expect(queues.deadLetters('lists').map(({ body }) => body)).toEqual(['"1"']);
    expect(queues.depth(queueUrl('dead-lists'))).toEqual({ waiting: 1, underWay: 0 });
  });

  it('a queue drops a message that repeats group and deduplication id within five minutes', async () => {
    const { batches, send, pass } = aWorld(() => 'ok');

    await send(['a', '1', 'same'], ['a', '2', 'same'], ['b', '3', 'same']);
    await pass(4 * MINUTE);
    await send(['a', '4', 'same']);
    await pass(MINUTE);
    await send(['a', '5', 'same']);
    await pass(0);

    expect(batches.flat()).toEqual(['1', '3', '5']);
  });

  it('a queue delivers a message with the trace of the work that sent it', async () => {
    const { traces, send, pass } = aWorld(() => 'ok');

    await withTrace('the tick', () => send(['a', '1']));
    await pass(0);

    expect(traces).toEqual(['the tick']);
  });

  it('a message to a queue that does not exist is rejected', async () => {
    const { queues } = aWorld(() => 'ok');

    await expect(queues.send('http://queues.local/none', [])).rejects.toThrow('there is no queue');
  });
});
