import { ReceiveMessageCommand, SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { type FauxqsServer, startFauxqs } from 'fauxqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFifoSender, QueueRefusedError } from '#shared/clients/fifo-queue.ts';
import type { Outgoing } from '#shared/domain/messages/outgoing.ts';
import { currentTrace, withTrace } from '#shared/runtime/trace.ts';

type Note = { readonly to: string; readonly text: string };

describe('a FIFO queue', () => {
  let server: FauxqsServer;
  let client: SQSClient;
  beforeAll(async () => {
    server = await startFauxqs({ port: 0, host: '127.0.0.1', logger: false });
    client = anSqsClient(server.address);
  });
  afterAll(async () => {
    client.destroy();
    await server.stop();
  });

  /** A sender to a new queue, and the messages in the queue, in order within each group. */
  const aQueue = (name: string) => {
    const { queueUrl } = server.createQueue(`${name}.fifo`, { attributes: { FifoQueue: 'true' } });
    return {
      queueUrl,
      send: createFifoSender<Note>(client, queueUrl, ({ to }) => to, currentTrace),
      held: () =>
        (server.inspectQueue(`${name}.fifo`)?.messages.ready ?? []).map((message) => ({
          ...message,
          note: readNote(message.body),
        })),
    };
  };

  it.each([0, 1, 10, 11, 137])('sends all of %i messages to a FIFO queue', async (count) => {
    const { send, held } = aQueue(`complete-${count}`);
    const notes = Array.from({ length: count }, (_, number) => aNote(`actor-${number}`, 'hello'));

    await send(notes.map(outgoing));

    expect(
      held()
        .map(({ note }) => note.to)
        .toSorted(),
    ).toEqual(notes.map(({ to }) => to).toSorted());
  });

  it('sends the messages of each group to a FIFO queue in order', async () => {
    const { send, held } = aQueue('ordered');
    const notes = Array.from({ length: 120 }, (_, number) =>
      aNote(`actor-${number % 7}`, String(number)),
    );

    await send(notes.map(outgoing));

    const groups = Map.groupBy(held(), ({ note }) => note.to);
    for (const [to, messages] of groups) {
      const expected = notes.filter((note) => note.to === to);
      expect(messages.map(({ note }) => note)).toEqual(expected);
    }
    expect(groups.size).toBe(7);
  });

  it('locks a message group while one of its messages is in flight', async () => {
    const { send, queueUrl } = aQueue('actors');
    await send([aNote('a', '1'), aNote('b', '1'), aNote('a', '2')].map(outgoing));

    const receive = async () => {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 1 }),
      );
      return Messages.map(({ Body = '' }) => readNote(Body));
    };

    expect([await receive(), await receive(), await receive()]).toEqual([
      [aNote('a', '1')],
      [aNote('b', '1')],
      [],
    ]);
  });

  it('sends two messages with the same content only once', async () => {
    const { send, held } = aQueue('deduplicated');

    await send([aNote('a', '1'), aNote('a', '1'), aNote('a', '2')].map(outgoing));
    await send([aNote('a', '1')].map(outgoing));

    expect(held().map(({ note }) => note.text)).toEqual(['1', '2']);
  });

  it('sends messages with the same content but different traces once, with the first trace', async () => {
    const { send, held } = aQueue('traced');

    await withTrace('tick-1', () => send([aNote('a', '1')].map(outgoing)));
    await withTrace('tick-2', () => send([aNote('a', '1')].map(outgoing)));
    await send([aNote('a', '2')].map(outgoing));

    expect(held().map(({ messageAttributes }) => messageAttributes)).toEqual([
      { trace: { DataType: 'String', StringValue: 'tick-1' } },
      {},
    ]);
  });

  it('sends two messages with the same content if their deduplication ids differ', async () => {
    const { send, held } = aQueue('reported-apart');

    await send(
      [1, 2].map((version) => ({ message: aNote('a', '1'), deduplication: `v${version}` })),
    );

    expect(held()).toHaveLength(2);
  });

  it('hashes group and deduplication ids of any length and alphabet', async () => {
    const { send, held } = aQueue('hashed');
    const to = `täg#${'x'.repeat(500)}`;
    const twins = ['1', '2'].map((end) => ({
      message: aNote(to, end),
      deduplication: `${'Ξ"'.repeat(500)}${end}`,
    }));

    await send(twins);

    expect(held().map(({ note }) => note.text)).toEqual(['1', '2']);
    for (const { messageGroupId = '', messageDeduplicationId = '' } of held()) {
      expect([messageGroupId, messageDeduplicationId]).toEqual([
        expect.stringMatching(/^[0-9a-f]{64}$/),
        expect.stringMatching(/^[0-9a-f]{64}$/),
      ]);
    }
  });

  it('fails to send to a FIFO queue that does not exist', async () => {
    const url = `${server.address}/1/none.fifo`;
    const send = createFifoSender<Note>(client, url, ({ to }) => to, currentTrace);

    await expect(send([aNote('a', '1')].map(outgoing))).rejects.toMatchObject({
      name: 'QueueDoesNotExist',
    });
  });
});

describe('the batches of a sender', () => {
  it('reports the number of messages that failed in a batch, with a reason', async () => {
    const { send, mock } = aMockedQueue();
    mock.on(SendMessageBatchCommand).resolves({
      Successful: [],
      Failed: [
        { Id: '0', SenderFault: false, Code: 'InternalError', Message: 'try again' },
        { Id: '2', SenderFault: false, Code: 'InternalError' },
      ],
    });

    const refused = send(['1', '2', '3'].map((text) => outgoing(aNote('a', text))));

    await expect(refused).rejects.toThrow(QueueRefusedError);
    await expect(refused).rejects.toThrow('2 of 3 messages rejected: try again');
  });

  it('sends the next messages of a group only after the queue accepted the previous ones', async () => {
    const { send, mock } = aMockedQueue();
    const taken = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
    let sent = 0;
    mock.on(SendMessageBatchCommand).callsFake(async () => {
      const gate = taken[sent];
      sent += 1;
      await gate?.promise;
      return { Successful: [], Failed: [] };
    });

    const sending = send(Array.from({ length: 25 }, (_, n) => outgoing(aNote('one', `${n}`))));
    const sentAtFirst = await settled(() => sent);
    taken[0]?.resolve();
    const sentThen = await settled(() => sent);
    taken[1]?.resolve();
    taken[2]?.resolve();
    await sending;

    expect([sentAtFirst, sentThen, sent]).toEqual([1, 2, 3]);
  });

  it('sends no further messages of a group after one failed', async () => {
    const { send, mock } = aMockedQueue();
    mock.on(SendMessageBatchCommand).resolvesOnce({
      Successful: [],
      Failed: [{ Id: '9', SenderFault: false, Code: 'InternalError' }],
    });

    const refused = send(Array.from({ length: 25 }, (_, n) => outgoing(aNote('one', `${n}`))));

    await expect(refused).rejects.toThrow('1 of 10 messages rejected: InternalError');
    expect(mock.commandCalls(SendMessageBatchCommand)).toHaveLength(1);
  });

  it('fills batches of messages, and sends several batches concurrently', async () => {
    const { send, mock } = aMockedQueue();
    let underWay = 0;
    let most = 0;
    mock.on(SendMessageBatchCommand).callsFake(async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await settled(() => undefined);
      underWay -= 1;
      return { Successful: [], Failed: [] };
    });

    await send(Array.from({ length: 1000 }, (_, n) => outgoing(aNote(`actor-${n}`, 'hello'))));

    const sizes = mock
      .commandCalls(SendMessageBatchCommand)
      .map(({ args: [{ input }] }) => input.Entries?.length ?? 0);
    expect([most, sizes.length, Math.max(...sizes)]).toEqual([5, 100, 10]);
  });
});

function aNote(to: string, text: string): Note {
  return { to, text };
}

function outgoing(message: Note): Outgoing<Note> {
  return { message, deduplication: JSON.stringify(message) };
}

function readNote(body: string): Note {
  return JSON.parse(body) as Note;
}

function anSqsClient(endpoint: string): SQSClient {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  return new SQSClient({
    endpoint,
    credentials,
    region: 'us-east-1',
    useQueueUrlAsEndpoint: false,
  });
}

function aMockedQueue() {
  const client = anSqsClient('http://127.0.0.1:1');
  const mock = mockClient(client);
  mock.on(SendMessageBatchCommand).resolves({ Successful: [], Failed: [] });
  return { mock, send: createFifoSender<Note>(client, 'queue.fifo', ({ to }) => to, currentTrace) };
}

/** Returns a value after all pending microtasks have run. */
async function settled<Reported>(tell: () => Reported): Promise<Reported> {
  await new Promise((resolve) => setImmediate(resolve));
  return tell();
}
