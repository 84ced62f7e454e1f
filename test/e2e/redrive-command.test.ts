import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import {
  type ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { closeServer, createLoopbackServer, listen } from '#infra/local/runtime/loopback.ts';
import { findDeadLetterQueues, moveBack, peek } from '#infra/operate/dead-letters.ts';
import { aFunction, anActorQueue, world } from '#test/infra/local/runtime/world.ts';

const { signal } = new AbortController();

/** A handler that fails as often as a message is tried, and then works. */
const mendedLater = `
  let tried = 0;
  const handled = [];
  export const handler = async ({ Records }) => {
    if (!Records) return handled;
    tried += 1;
    if (tried <= 6) throw new Error('a bug');
    for (const { body, attributes } of Records) handled.push(body + ' of ' + attributes.MessageGroupId);
    return { batchItemFailures: [] };
  };`;
const beyondHelp = `export const handler = async () => { throw new Error('a bug'); };`;

async function aStack(handler: string) {
  const running = await world({
    resources: {
      Work: aFunction('work'),
      ...anActorQueue('Work'),
      MissedTicks: { Type: 'AWS::SQS::Queue' },
    },
    handlers: { work: handler },
  });
  const { sqs, queueOrigin } = running.engines;
  const send = async (queue: string, MessageBody: string, group?: string) =>
    await sqs.send(
      new SendMessageCommand({
        QueueUrl: `${queueOrigin}/000000000000/${queue}`,
        MessageBody,
        ...(group && { MessageGroupId: group, MessageDeduplicationId: MessageBody }),
      }),
    );
  const waiting = async () =>
    Object.fromEntries(
      (await running.engines.queues()).map(({ name, waiting, inFlight }) => [
        name,
        waiting + inFlight,
      ]),
    );
  return { ...running, sqs, send, waiting };
}

/** Two messages of one actor that were given up, and a missed tick. */
async function givenUp(handler: string) {
  const stack = await aStack(handler);
  const { MessageId: first } = await stack.send('Queue.fifo', '{"kind":"poll","n":1}', 'a');
  await stack.send('Queue.fifo', '{"kind":"poll","n":2}', 'a');
  await stack.send('MissedTicks', '{"time":"2022-01-10T12:00:00Z"}');
  await stack.quiet(signal);
  return { ...stack, first };
}

async function moveAll(sqs: SQSClient, afterEach: () => Promise<void> = async () => {}) {
  const counts: number[] = [];
  for (const queue of await findDeadLetterQueues(sqs, '')) {
    if (queue.source === undefined) continue;
    for await (const moved of moveBack(sqs, queue, queue.source)) {
      counts.push(moved);
      await afterEach();
    }
  }
  return counts;
}

describe('dead letters', () => {
  it('are found with what they say, and stay where they are', async () => {
    const { sqs, waiting, first: messageId } = await givenUp(beyondHelp);
    const before = await waiting();

    const queues = await findDeadLetterQueues(sqs, '');
    const [first] = await Promise.all(queues.map((queue) => peek(sqs, queue)));

    expect(queues).toMatchObject([
      { name: 'DeadLetters.fifo', waiting: 2, source: { name: 'Queue.fifo' } },
      { name: 'MissedTicks', waiting: 1, source: undefined },
    ]);
    expect(first).toMatchObject([{ messageId, body: '{"kind":"poll","n":1}' }]);
    expect(await waiting()).toEqual(before);
  });

  it('are handled in order once the bug is mended', async () => {
    const stack = await givenUp(mendedLater);

    const moved = await moveAll(stack.sqs);
    await stack.quiet(signal);

    expect(moved).toEqual([1, 2]);
    expect(await stack.waiting()).toMatchObject({ 'DeadLetters.fifo': 0, 'Queue.fifo': 0 });
    expect(await stack.functionIn('work').invoke({})).toEqual([
      '{"kind":"poll","n":1} of a',
      '{"kind":"poll","n":2} of a',
    ]);
  });

  it('that are given up again stay, and no move goes round in circles', async () => {
    const { sqs, quiet, waiting } = await givenUp(beyondHelp);

    await moveAll(sqs, () => quiet(signal));

    expect(await waiting()).toMatchObject({ 'DeadLetters.fifo': 2 });
  });

  it('are sent once more after a move that was killed before it deleted them', async () => {
    const { sqs, quiet, waiting } = await givenUp(beyondHelp);
    const send = sqs.send.bind(sqs);
    const killed = Object.assign(Object.create(sqs), {
      send: async (command: object) => {
        if (command.constructor.name.startsWith('DeleteMessage')) throw new Error('killed');
        return await send(command as ReceiveMessageCommand);
      },
    });

    await expect(moveAll(killed)).rejects.toThrow('killed');
    await quiet(signal);

    expect(await waiting()).toMatchObject({ 'DeadLetters.fifo': 3 });
  });
});

describe('npm run redrive', () => {
  it('shows the queues of the stack that npm start runs, and moves what can be moved', async () => {
    const { engines, waiting } = await givenUp(mendedLater);
    const url = await aStatusPage({ endpoint: engines.queueOrigin, region: 'us-east-1' });

    const shown = await redrive(['--local', url, '--dry-run', '--json']);
    const after = await waiting();
    const moved = await redrive(['--local', url]);

    expect(shown.exit).toBe(0);
    expect(shown.out.map((line) => JSON.parse(line))).toMatchObject([
      { event: 'queue', queue: 'DeadLetters.fifo', source: 'Queue.fifo', waiting: 2 },
      { event: 'queue', queue: 'MissedTicks', source: null, waiting: 1 },
    ]);
    expect(after).toMatchObject({ 'DeadLetters.fifo': 2, MissedTicks: 1 });
    expect(moved.out.join('\n')).toContain('  moved 2 of 2 back to Queue.fifo');
    expect(await waiting()).toMatchObject({ 'DeadLetters.fifo': 0, MissedTicks: 1 });
  });

  it.each([
    { args: [], issue: 'give either --stage <name> or --local <url>' },
    {
      args: ['--stage', 'no stage'],
      issue: '--stage: expected a lower-case word such as dev, found "no stage"',
    },
    {
      args: ['--local', 'nowhere'],
      issue: '--local: expected the address that npm start printed, found "nowhere"',
    },
    { args: ['--local', 'http://127.0.0.1:1'], issue: 'no stack of npm start answers there' },
    { args: ['--stage', 'dev', '--all'], issue: "unknown option '--all'" },
  ])('says what is wrong with $args', async ({ args, issue }) => {
    const { exit, error } = await redrive(args);

    expect(exit).toBe(2);
    expect(error).toContain(issue);
    expect(error.split('\n')).toHaveLength(2);
  });

  it('names the queues there are when none is meant', async () => {
    const { engines } = await givenUp(beyondHelp);
    const url = await aStatusPage({ endpoint: engines.queueOrigin, region: 'us-east-1' });

    const { exit, error } = await redrive(['--local', url, '--queue', 'lists']);

    expect(exit).toBe(2);
    expect(error).toBe(
      '--queue lists matches no queue; the dead-letter queues are DeadLetters.fifo, MissedTicks\n',
    );
  });

  it('finds a deployed stage by its name, and says when it is not there', async () => {
    const { engines } = await givenUp(beyondHelp);

    const { exit, error } = await redrive(['--stage', 'dev'], {
      AWS_ENDPOINT_URL_SQS: engines.queueOrigin,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
    });

    expect(exit).toBe(2);
    expect(error).toBe(
      'the stack floorwatch-dev has no queues in this account and region: is it deployed?\n',
    );
  });

  it('says so when there are no credentials', async () => {
    const { exit, error } = await redrive(['--stage', 'dev'], {
      AWS_REGION: 'us-east-1',
      AWS_EC2_METADATA_DISABLED: 'true',
      HOME: '/nowhere',
    });

    expect(exit).toBe(2);
    expect(error).toContain('Could not load credentials');
  });
});

/** What `npm start` says of itself, as far as it matters here. */
async function aStatusPage(sqs: object): Promise<string> {
  const server = createLoopbackServer(async ({ url }, response) => {
    response.end(url === '/local/status' ? JSON.stringify({ sqs }) : '{}');
  });
  onTestFinished(() => closeServer(server));
  return await listen(server);
}

async function redrive(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, ['infra/operate/redrive.ts', ...args], { env });
  const [out, error, exit] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('exit', resolve)),
  ]);
  return { out: out.trimEnd().split('\n'), error, exit };
}
