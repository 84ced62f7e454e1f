import { text } from 'node:stream/consumers';
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { closeServer, createLoopbackServer, listen } from '#infra/local/runtime/loopback.ts';
import { findDeadLetterQueues, moveBack, peek } from '#infra/operate/dead-letters.ts';
import { answerQueuesCall, QUEUES_PATH } from '#infra/operate/remote-queues.ts';
import { findStage } from '#infra/stack/stages.ts';
import { startEngines } from '#test/support/aws-engines.ts';
import { operate } from '#test/support/operate.ts';

/** The name prefix of the queues in the stage `dev`. */
const PREFIX = 'floorwatch-dev-';

/** The queues of an account with dead letters and a missed tick. */
async function givenUp() {
  const running = await startEngines({
    ...{ parameters: new Map(), now: Date.now, onPublish: async () => {} },
  });
  onTestFinished(running.close);
  const { sqs, queueOrigin } = running;
  const create = async (name: string, attributes: Record<string, string> = {}) =>
    await sqs.send(
      new CreateQueueCommand({ QueueName: `${PREFIX}${name}`, Attributes: attributes }),
    );
  const fifo = { FifoQueue: 'true' };
  await create('DeadLetters.fifo', fifo);
  await create('Queue.fifo', {
    ...fifo,
    RedrivePolicy: JSON.stringify({
      deadLetterTargetArn: `arn:aws:sqs:us-east-1:000000000000:${PREFIX}DeadLetters.fifo`,
      maxReceiveCount: 2,
    }),
  });
  await create('MissedTicks');
  const urlOf = (queue: string) => `${queueOrigin}/000000000000/${PREFIX}${queue}`;
  const send = async (queue: string, MessageBody: string, group?: string) =>
    await sqs.send(
      new SendMessageCommand({
        QueueUrl: urlOf(queue),
        MessageBody,
        ...(group && { MessageGroupId: group, MessageDeduplicationId: MessageBody }),
      }),
    );
  /** Receives the waiting messages of the function, whose handler succeeds or fails. */
  const work = async (isMended: boolean): Promise<readonly string[]> => {
    const handled: string[] = [];
    for (;;) {
      const asked = { QueueUrl: urlOf('Queue.fifo'), VisibilityTimeout: 0 };
      const { Messages: [message] = [] } = await sqs.send(
        new ReceiveMessageCommand({ ...asked, MessageSystemAttributeNames: ['MessageGroupId'] }),
      );
      if (message === undefined) return handled;
      if (!isMended) continue;
      const { ReceiptHandle, Body, Attributes } = message;
      handled.push(`${Body} of ${Attributes?.MessageGroupId}`);
      await sqs.send(new DeleteMessageCommand({ QueueUrl: asked.QueueUrl, ReceiptHandle }));
    }
  };
  const waiting = async () =>
    Object.fromEntries(
      (await running.queues()).map(({ name, waiting, inFlight }) => [
        name.slice(PREFIX.length),
        waiting + inFlight,
      ]),
    );
  const { MessageId: first } = await send('Queue.fifo', '{"kind":"poll","n":1}', 'a');
  await send('Queue.fifo', '{"kind":"poll","n":2}', 'a');
  await send('MissedTicks', '{"time":"2022-01-10T12:00:00Z"}');
  await work(false);
  const env = {
    AWS_ENDPOINT_URL_SQS: queueOrigin,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  };
  return { sqs, send, work, waiting, first, env };
}

async function moveAll(sqs: SQSClient, afterEach: () => Promise<void> = async () => {}) {
  const counts: number[] = [];
  for (const queue of await findDeadLetterQueues(sqs, PREFIX)) {
    if (queue.source === undefined) continue;
    for await (const moved of moveBack(sqs, queue, queue.source)) {
      counts.push(moved);
      await afterEach();
    }
  }
  return counts;
}

describe('dead letters', () => {
  it('dead letters are listed with their bodies, and stay in their queue', async () => {
    const { sqs, waiting, first: messageId } = await givenUp();
    const before = await waiting();

    const queues = await findDeadLetterQueues(sqs, PREFIX);
    const [first] = await Promise.all(queues.map((queue) => peek(sqs, queue)));

    expect(queues).toMatchObject([
      { name: `${PREFIX}DeadLetters.fifo`, waiting: 2, source: { name: `${PREFIX}Queue.fifo` } },
      { name: `${PREFIX}MissedTicks`, waiting: 1, source: undefined },
    ]);
    expect(first).toMatchObject([{ messageId, body: '{"kind":"poll","n":1}' }]);
    expect(await waiting()).toEqual(before);
  });

  it('dead letters that are moved back are handled in order after the bug is fixed', async () => {
    const stack = await givenUp();

    const moved = await moveAll(stack.sqs);
    const handled = await stack.work(true);

    expect(moved).toEqual([1, 2]);
    expect(handled).toEqual(['{"kind":"poll","n":1} of a', '{"kind":"poll","n":2} of a']);
    expect(await stack.waiting()).toMatchObject({ 'DeadLetters.fifo': 0, 'Queue.fifo': 0 });
  });

  it('dead letters that fail again are moved only once', async () => {
    const { sqs, work, waiting } = await givenUp();

    await moveAll(sqs, async () => {
      await work(false);
    });

    expect(await waiting()).toMatchObject({ 'DeadLetters.fifo': 2 });
  });

  it('dead letters are duplicated if a move is killed before the deletion', async () => {
    const { sqs, work, waiting } = await givenUp();
    const send = sqs.send.bind(sqs);
    const killed = Object.assign(Object.create(sqs), {
      send: async (command: object) => {
        if (command.constructor.name.startsWith('DeleteMessage')) throw new Error('killed');
        return await send(command as ReceiveMessageCommand);
      },
    });

    await expect(moveAll(killed)).rejects.toThrow('killed');
    await work(false);

    expect(await waiting()).toMatchObject({ 'DeadLetters.fifo': 3 });
  });
});

describe('npm run operate -- redrive', () => {
  it('npm run operate -- redrive shows the queues of a deployed stage, and moves their dead letters', async () => {
    const { waiting, env } = await givenUp();

    const shown = await redrive(['--stage', 'dev', '--dry-run', '--json'], env);
    const after = await waiting();
    const moved = await redrive(['--stage', 'dev'], env);

    expect(shown.exit).toBe(0);
    expect(shown.out.map((line) => JSON.parse(line))).toMatchObject([
      {
        ...{ event: 'queue', queue: `${PREFIX}DeadLetters.fifo`, waiting: 2 },
        source: `${PREFIX}Queue.fifo`,
      },
      { event: 'queue', queue: `${PREFIX}MissedTicks`, source: null, waiting: 1 },
    ]);
    expect(after).toMatchObject({ 'DeadLetters.fifo': 2, MissedTicks: 1 });
    expect(moved.out.join('\n')).toContain(`  moved 2 of 2 back to ${PREFIX}Queue.fifo`);
    expect(await waiting()).toMatchObject({ 'DeadLetters.fifo': 0, MissedTicks: 1 });
  });

  it('npm run operate -- redrive shows the dead letters of a stack of npm start, and moves them', async () => {
    const letter = { messageId: '1', sentAt: '2022-01-10T12:00:00.000Z', body: '{"kind":"poll"}' };
    let letters = [letter];
    const url = await aLocalStack({
      list: () => [
        { name: 'contracts', deadLetters: letters },
        { name: 'lists', deadLetters: [] },
      ],
      redrive: (name) => {
        expect(name).toBe('contracts');
        return letters.splice(0).length;
      },
    });

    const shown = await redrive(['--url', url, '--dry-run', '--json']);
    const moved = await redrive(['--url', url]);
    letters = [letter];
    const none = await redrive(['--url', url, '--queue', 'lists']);

    expect(shown.out.map((line) => JSON.parse(line))).toMatchObject([
      { queue: 'dead letters of contracts', source: 'contracts', waiting: 1, first: [letter] },
      { queue: 'dead letters of lists', source: 'lists', waiting: 0, first: [] },
    ]);
    expect(moved.out.join('\n')).toContain('  moved 1 of 1 back to contracts');
    expect(none.out).toEqual(['dead letters of lists: 0 waiting']);
    expect(letters).toHaveLength(1);
  });

  it('npm run operate -- redrive names the existing queues if none matches', async () => {
    const { env } = await givenUp();

    const { exit, error } = await redrive(['--stage', 'dev', '--queue', 'lists'], env);

    expect(exit).toBe(2);
    expect(error).toBe(
      `--queue lists matches no queue; the dead-letter queues are ${PREFIX}DeadLetters.fifo, ${PREFIX}MissedTicks\n`,
    );
  });

  it('npm run operate -- redrive reports a stage that is not deployed', async () => {
    const { env } = await givenUp();

    const { exit, error } = await redrive(['--stage', 'prod'], env);

    expect(exit).toBe(2);
    expect(error).toBe(
      'the stack floorwatch-prod has no queues in this account and region: is it deployed?\n',
    );
  });

  it('npm run operate -- redrive reports missing credentials', async () => {
    const { exit, error } = await redrive(['--stage', 'dev'], {
      AWS_REGION: 'us-east-1',
      AWS_EC2_METADATA_DISABLED: 'true',
      HOME: '/nowhere',
    });

    expect(exit).toBe(2);
    expect(error).toContain('Could not load credentials');
  });
});

/** The pages that the command requests from a stack of `npm start`. */
async function aLocalStack(queues: Parameters<typeof answerQueuesCall>[0]): Promise<string> {
  const server = createLoopbackServer(async (request, response) => {
    const asked = { headers: request.headers, body: await text(request) };
    const isQueues = request.url === QUEUES_PATH;
    const answer = isQueues
      ? answerQueuesCall(queues, asked)
      : { time: '2022-01-10T12:00:00Z', stage: findStage('dev') };
    response.end(JSON.stringify(answer));
  });
  onTestFinished(() => closeServer(server));
  return await listen(server);
}

async function redrive(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { lines, error, exit } = await operate(['redrive', ...args], env);
  return { out: lines, error, exit };
}
