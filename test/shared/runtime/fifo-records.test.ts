import type { SQSEvent } from 'aws-lambda';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { UnreadableError } from '#shared/domain/unreadable.ts';
import { handleFifoRecords, traceFields } from '#shared/runtime/fifo-records.ts';
import { createMetrics } from '#shared/runtime/metrics.ts';
import { currentTrace } from '#shared/runtime/trace.ts';

const Message = z.object({ say: z.string() });

/** A batch of messages, each written as `group:text`, with the trace as an optional third part. */
function aBatch(...messages: readonly string[]): SQSEvent {
  return {
    Records: messages.map((text, index) => {
      const [group = '', say = '', trace] = text.split(':');
      return {
        messageId: `${index + 1}`,
        receiptHandle: '',
        body:
          say === 'garbage' ? '{' : JSON.stringify(say === 'wrong' ? { reported: say } : { say }),
        attributes: {
          ApproximateReceiveCount: '2',
          ApproximateFirstReceiveTimestamp: '0',
          SenderId: '',
          SentTimestamp: '0',
          MessageGroupId: group,
        },
        messageAttributes:
          trace === undefined ? {} : { trace: { dataType: 'String', stringValue: trace } },
        md5OfBody: '',
        eventSource: 'aws:sqs',
        eventSourceARN: '',
        awsRegion: '',
      };
    }),
  };
}

/** Handles a batch: a message with the text "fail" fails, all others take a moment. */
async function handled(...messages: readonly string[]) {
  const done: string[] = [];
  const logged: unknown[] = [];
  const log = { info: () => undefined, error: (...line: unknown[]) => void logged.push(line) };
  const metrics = createMetrics('test', Date.now);
  const telling = { log, metrics };
  const handle = async ({ say }: { say: string }) => {
    done.push(`${say} begun`);
    await new Promise((resolve) => setImmediate(resolve));
    if (say === 'fail') throw new Error('no');
    if (say === 'unreadable') throw new UnreadableError('a list', 'unknown member "x"');
    done.push(`${say} done`);
  };
  const batch = aBatch(...messages);
  const answer = await handleFifoRecords(batch, Message, telling, handle);
  return {
    done,
    logged,
    measured: metrics.flush(),
    failed: answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier),
  };
}

it('handles the messages of a group in order, and groups concurrently', async () => {
  const { done, failed } = await handled('a:1', 'b:2', 'a:3');

  expect(done).toEqual(['1 begun', '2 begun', '1 done', '3 begun', '2 done', '3 done']);
  expect(failed).toEqual([]);
});

it.each(['fail', 'wrong', 'garbage'])(
  'stops a group at its first failure ("%s"), and no other group',
  async (bad) => {
    const { done, failed, logged, measured } = await handled(
      'a:1',
      `a:${bad}`,
      'b:2',
      'a:3',
      'b:4',
    );

    expect(failed).toEqual(['2', '4']);
    expect(done.filter((what) => what.endsWith('done'))).toEqual(['1 done', '2 done', '4 done']);
    expect(logged).toEqual([
      ['message_failed', { trace: '2', messageId: '2', received: '2', error: expect.any(Error) }],
    ]);
    expect(measured).toMatchObject({ MessagesFailed: 1 });
  },
);

it('skips and counts a message whose handler reads an unreadable item, so that its group continues', async () => {
  const { done, failed, logged, measured } = await handled('a:1', 'a:unreadable', 'a:3');

  expect(failed).toEqual([]);
  expect(done.filter((what) => what.endsWith('done'))).toEqual(['1 done', '3 done']);
  expect(logged).toEqual([
    ['item_unreadable', { trace: '2', messageId: '2', error: expect.any(UnreadableError) }],
  ]);
  expect(measured).toMatchObject({ BrokenItems: 1 });
  expect(measured).not.toHaveProperty('MessagesFailed');
});

it('handles each message with the trace of its sender, or with the message id if there is no trace', async () => {
  const batch = aBatch('a:1:tick-1', 'b:2:tick-2', 'a:3');
  const telling = {
    log: { info: () => {}, error: () => {} },
    metrics: createMetrics('test', Date.now),
  };
  const traces: unknown[] = [];

  await handleFifoRecords(batch, Message, telling, async ({ say }) => {
    await new Promise((resolve) => setImmediate(resolve));
    traces.push([say, currentTrace()]);
  });

  expect(traces).toEqual([
    ['1', 'tick-1'],
    ['2', 'tick-2'],
    ['3', '3'],
  ]);
  expect(traceFields(batch)).toEqual({ traces: ['tick-1', 'tick-2', '3'] });
});
