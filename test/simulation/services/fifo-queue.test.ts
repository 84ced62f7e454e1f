import {
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import fc from 'fast-check';
import { buildApp } from 'fauxqs';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { moveBack } from '#infra/operate/dead-letters.ts';
import { createFifoSender } from '#shared/clients/fifo-queue.ts';
import { MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import { currentTrace } from '#shared/runtime/trace.ts';
import { runsOf } from '#test/support/extent.ts';
import { createFifoQueue } from './fifo-queue.ts';
import { createStreams } from './streams.ts';
import { createTimeline } from './timeline.ts';

const START = Date.UTC(2026, 10, 21);
const VISIBILITY_SECONDS = 3;
const MOST_RECEIVES = 4;

type Message = { readonly group: string; readonly text: string };

/** The messages of one group that a worker received in one poll. The worker polls each second. */
type Batch = {
  readonly group: string;
  readonly texts: readonly string[];
  readonly settle: (failed: number) => Promise<void>;
};

type Queue = {
  readonly send: (group: string, text: string, deduplication: string) => Promise<void>;
  /** Advances the time and returns the batches available at its end, sorted by group. */
  readonly after: (milliseconds: number) => Promise<readonly Batch[]>;
  readonly redrive: () => Promise<void>;
  readonly deadLetters: () => Promise<number>;
};

const server = buildApp({ logger: false });
let sqs: SQSClient;
let queues = 0;

beforeAll(async () => {
  const endpoint = await server.listen({ host: '127.0.0.1', port: 0 });
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  sqs = new SQSClient({ endpoint, region: 'us-east-1', credentials, useQueueUrlAsEndpoint: false });
});

afterAll(async () => {
  sqs.destroy();
  await server.close();
});

beforeEach(() => vi.useFakeTimers({ now: START, toFake: ['Date'] }));
afterEach(() => vi.useRealTimers());

it('the simulated queue delivers, hides, drops and dead-letters the same messages as fauxqs', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyCommand), async (sequence) => {
      vi.setSystemTime(START);
      const simulated = await historyOf(sequence, aSimulatedQueue(1));
      vi.setSystemTime(START);
      const expected = await historyOf(sequence, await aQueueOfFauxqs());

      expect(simulated).toEqual(expected);
    }),
    runsOf(20),
  );
});

// fauxqs delivers one message of a group at a time, SQS as many as the caller requests.
it.each([1, 2, 10])(
  'the simulated queue delivers batches of %i from the head of each group',
  async (batchSize) => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(sends, settlements, pauses)), async (sequence) => {
        await historyOf(sequence, heldAgainstLists(aSimulatedQueue(batchSize), batchSize));
      }),
    );
  },
);

type Command = {
  readonly toString: () => string;
  readonly run: (queue: Queue, batches: readonly Batch[], count: number) => Promise<unknown>;
};

const group = fc.constantFrom('a', 'b', 'c');
const sends = group.map((to) => sending([to, undefined]));
const repeatedSends = fc.tuple(group, fc.constantFrom('x', 'y')).map(sending);
const settlements = fc.tuple(fc.nat(4), fc.nat(2)).map(settling);
const pauses = fc.constantFrom(1, 2, 3, 12).map(waiting);
const redrive = fc.constant<Command>({
  toString: () => 'redrive',
  run: (queue) => queue.redrive(),
});

const anyCommand = fc.oneof(sends, repeatedSends, settlements, pauses, redrive);

/**
 * The simulated queue deduplicates within a group, fauxqs within the queue, so the id names the
 * group.
 */
function sending([to, word]: readonly [string, string | undefined]): Command {
  return {
    toString: () => `send to ${to} as ${word}`,
    run: (queue, _batches, count) => queue.send(to, `${count}`, `${to} ${word ?? count}`),
  };
}

/** Settles the newest batch, or an older one that may have been redelivered since. */
function settling([back, failed]: readonly [number, number]): Command {
  return {
    toString: () => `settle ${back} batches back but for ${failed}`,
    run: async (_queue, batches) => await batches.at(-1 - back)?.settle(failed),
  };
}

function waiting(seconds: number): Command {
  return { toString: () => `wait ${seconds} s`, run: async () => seconds };
}

/** The batches available in each second of a sequence, and the final number of dead letters. */
async function historyOf(sequence: readonly Command[], queue: Queue): Promise<readonly string[]> {
  const history: string[] = [];
  const batches: Batch[] = [];
  const secondPasses = async () => {
    const had = await queue.after(SECOND);
    batches.push(...had);
    history.push(had.map(({ group: of, texts }) => `${of} ${texts.join()}`).join(' '));
  };
  for (const [count, command] of sequence.entries()) {
    history.push(command.toString());
    const seconds = Number(await command.run(queue, batches, count)) || 1;
    for (let second = 0; second < seconds; second += 1) await secondPasses();
  }
  // Waits until nothing more is delivered. The window of deduplication passes, too.
  for (let second = 0; second < 200; second += 1) {
    if (history.slice(-2 * VISIBILITY_SECONDS).every((had) => had === '')) break;
    await secondPasses();
  }
  history.push(`${await queue.deadLetters()} dead letters`);
  await queue.after(5 * MINUTE);
  await queue.send('a', 'again', 'a x');
  await secondPasses();
  return history;
}

function aSimulatedQueue(batchSize: number): Queue {
  const timeline = createTimeline(START);
  let arrived: Batch[] = [];
  const queue = createFifoQueue<Message>(
    {
      timeline,
      faults: { strikes: () => false, end: () => {}, counts: new Map() },
      schedule: createStreams(1).schedule,
      met: () => {},
    },
    {
      name: 'queue',
      groupOf: (message) => message.group,
      batchSize,
      visibilitySeconds: VISIBILITY_SECONDS,
      handle: (batch, settle) => {
        arrived.push({
          group: batch[0]?.group ?? '',
          texts: batch.map(({ body }) => JSON.parse(body).text),
          settle: async (failed) => {
            const handled = Math.max(0, batch.length - failed);
            settle(new Set(batch.slice(handled).map(({ id }) => id)));
          },
        });
      },
    },
  );
  return {
    send: (to, text, deduplication) =>
      queue.send([{ message: { group: to, text }, deduplication }]),
    after: async (milliseconds) => {
      await timeline.runUntil(timeline.now() + milliseconds);
      const batches = arrived.toSorted((left, right) => (left.group < right.group ? -1 : 1));
      arrived = [];
      return batches;
    },
    redrive: async () => queue.redrive(),
    deadLetters: async () => queue.deadLetters.length,
  };
}

async function aQueueOfFauxqs(): Promise<Queue> {
  queues += 1;
  const name = `Queue${queues}`;
  const dead = await aQueueNamed(`${name}-dead`, {});
  const deadLetterTargetArn = `arn:aws:sqs:us-east-1:000000000000:${name}-dead.fifo`;
  const url = await aQueueNamed(name, {
    VisibilityTimeout: `${VISIBILITY_SECONDS}`,
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: MOST_RECEIVES }),
  });
  const send = createFifoSender<Message>(sqs, url, (message) => message.group, currentTrace);
  const deadLetters = async () => {
    const asked = { QueueUrl: dead, AttributeNames: ['ApproximateNumberOfMessages' as const] };
    const { Attributes } = await sqs.send(new GetQueueAttributesCommand(asked));
    return Number(Attributes?.ApproximateNumberOfMessages);
  };
  return {
    send: (to, text, deduplication) => send([{ message: { group: to, text }, deduplication }]),
    after: async (milliseconds) => {
      vi.setSystemTime(Date.now() + milliseconds);
      const asked = { QueueUrl: url, MaxNumberOfMessages: 10, WaitTimeSeconds: 0 };
      const { Messages = [] } = await sqs.send(new ReceiveMessageCommand(asked));
      return Messages.map(({ Body = '', ReceiptHandle }): Batch => {
        const message = JSON.parse(Body) as Message;
        return {
          group: message.group,
          texts: [message.text],
          settle: async (failed) => {
            if (failed > 0) return;
            await sqs.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle }));
          },
        };
      }).toSorted((left, right) => (left.group < right.group ? -1 : 1));
    },
    redrive: async () => {
      const all = await deadLetters();
      if (all === 0) return;
      // `moveBack` would wait for further messages.
      for await (const moved of moveBack(
        sqs,
        { name, url: dead, waiting: all, source: undefined },
        { url },
      )) {
        if (moved === all) return;
      }
    },
    deadLetters,
  };
}

async function aQueueNamed(
  name: string,
  attributes: Readonly<Record<string, string>>,
): Promise<string> {
  const QueueName = `${name}.fifo`;
  const Attributes = { FifoQueue: 'true', ...attributes };
  const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
  return QueueUrl;
}

type Waiting = { readonly text: string; received: number };

/**
 * Checks each batch against a list: it must be the head of its group, and settling it shortens the
 * list.
 */
function heldAgainstLists(queue: Queue, batchSize: number): Queue {
  const groups = new Map<string, readonly Waiting[]>();
  const newest = new Map<string, Batch>();
  return {
    ...queue,
    send: async (to, text, deduplication) => {
      await queue.send(to, text, deduplication);
      groups.set(to, [...(groups.get(to) ?? []), { text, received: 0 }]);
    },
    after: async (milliseconds) => {
      const batches = await queue.after(milliseconds);
      return batches.map((batch): Batch => {
        const kept = (groups.get(batch.group) ?? []).filter((one) => one.received < MOST_RECEIVES);
        const head = kept.slice(0, batchSize);
        expect(batch.texts).toEqual(head.map(({ text }) => text));
        for (const one of head) one.received += 1;
        groups.set(batch.group, kept);
        newest.set(batch.group, batch);
        return {
          ...batch,
          settle: async (failed) => {
            await batch.settle(failed);
            if (newest.get(batch.group) !== batch) return;
            const handled = new Set(head.slice(0, Math.max(0, head.length - failed)));
            const left = (groups.get(batch.group) ?? []).filter((one) => !handled.has(one));
            groups.set(batch.group, left);
          },
        };
      });
    },
  };
}
