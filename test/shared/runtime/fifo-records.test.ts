import type { SQSEvent } from 'aws-lambda';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { handleFifoRecords } from '#shared/runtime/fifo-records.ts';

const Message = z.object({ say: z.string() });

/** A batch, each message written as `group:what it says`. */
function aBatch(...messages: readonly string[]): SQSEvent {
  return {
    Records: messages.map((text, index) => {
      const [group = '', say = ''] = text.split(':');
      return {
        messageId: `${index + 1}`,
        receiptHandle: '',
        body: say === 'garbage' ? '{' : JSON.stringify(say === 'wrong' ? { told: say } : { say }),
        attributes: {
          ApproximateReceiveCount: '2',
          ApproximateFirstReceiveTimestamp: '0',
          SenderId: '',
          SentTimestamp: '0',
          MessageGroupId: group,
        },
        messageAttributes: {},
        md5OfBody: '',
        eventSource: 'aws:sqs',
        eventSourceARN: '',
        awsRegion: '',
      };
    }),
  };
}

/** Handles a batch: a message that says "fail" does, all others take a moment. */
async function handled(...messages: readonly string[]) {
  const done: string[] = [];
  const logged: unknown[] = [];
  const log = { info: () => undefined, error: (...line: unknown[]) => void logged.push(line) };
  const answer = await handleFifoRecords(aBatch(...messages), Message, log, async ({ say }) => {
    done.push(`${say} begun`);
    await new Promise((resolve) => setImmediate(resolve));
    if (say === 'fail') throw new Error('no');
    done.push(`${say} done`);
  });
  return {
    done,
    logged,
    failed: answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier),
  };
}

it('handles the messages of a group one by one, and groups side by side', async () => {
  const { done, failed } = await handled('a:1', 'b:2', 'a:3');

  expect(done).toEqual(['1 begun', '2 begun', '1 done', '3 begun', '2 done', '3 done']);
  expect(failed).toEqual([]);
});

it.each(['fail', 'wrong', 'garbage'])(
  'stops a group at its first failure ("%s"), and no other group',
  async (bad) => {
    const { done, failed, logged } = await handled('a:1', `a:${bad}`, 'b:2', 'a:3', 'b:4');

    expect(failed).toEqual(['2', '4']);
    expect(done.filter((what) => what.endsWith('done'))).toEqual(['1 done', '2 done', '4 done']);
    expect(logged).toEqual([
      ['message_failed', { messageId: '2', received: '2', error: expect.any(Error) }],
    ]);
  },
);
