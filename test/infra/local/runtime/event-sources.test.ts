import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { aFunction, anActorQueue, world } from './world.ts';

const { signal } = new AbortController();

describe('an event source', () => {
  it('hands messages to its function, those of a group in order', async () => {
    const { functionIn, send, quiet } = await aQueue(`
      const seen = [];
      export const handler = async (event) => {
        if (!event.Records) return seen;
        for (const record of event.Records) seen.push(record.body + ' of ' + record.attributes.MessageGroupId);
        return { batchItemFailures: [] };
      };`);

    for (const body of ['one', 'two', 'three']) await send(body);
    await quiet(signal);

    expect(await functionIn('work').invoke({})).toEqual(['one of a', 'two of a', 'three of a']);
  });

  it('hands a message over again when its handler crashed, and gives it up after the third time', async () => {
    const { failures, send, quiet, deadLetters } = await aQueue(
      'export const handler = async () => process.exit(1);',
    );

    await send('poison');
    await quiet(signal);

    expect(failures.map(String)).toEqual(Array(3).fill('FunctionError: work was killed'));
    expect(await deadLetters()).toEqual([{ name: 'DeadLetters.fifo', waiting: 1, inFlight: 0 }]);
  });

  it('keeps only the messages that the function reports as failed', async () => {
    const { send, quiet, deadLetters } = await aQueue(`
      export const handler = async ({ Records }) => ({
        batchItemFailures: Records.filter(({ body }) => body === 'bad').map(({ messageId }) => ({ itemIdentifier: messageId })),
      });`);

    await send('good');
    await send('bad');
    await send('fine');
    await quiet(signal);

    expect(await deadLetters()).toEqual([{ name: 'DeadLetters.fifo', waiting: 1, inFlight: 0 }]);
  });

  it('keeps a whole batch when the function reports a message that it did not get', async () => {
    const { send, quiet, deadLetters } = await aQueue(
      `export const handler = async () => ({ batchItemFailures: [{ itemIdentifier: '' }] });`,
    );

    await send('good');
    await quiet(signal);

    expect(await deadLetters()).toEqual([{ name: 'DeadLetters.fifo', waiting: 1, inFlight: 0 }]);
  });
});

async function aQueue(handler: string) {
  const running = await world({
    resources: { Work: aFunction('work'), ...anActorQueue('Work') },
    handlers: { work: handler },
  });
  let sent = 0;
  const send = async (body: string) => {
    sent += 1;
    await running.engines.sqs.send(
      new SendMessageCommand({
        QueueUrl: `${running.engines.queueOrigin}/000000000000/Queue.fifo`,
        MessageBody: body,
        MessageGroupId: 'a',
        MessageDeduplicationId: String(sent),
      }),
    );
  };
  return { ...running, send };
}
