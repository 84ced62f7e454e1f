import { randomUUID } from 'node:crypto';
import type { SQSRecord } from 'aws-lambda';
import * as z from 'zod';
import type { QueueDepth } from '#shared/clients/queue-depths.ts';
import { type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import { currentTrace } from '#shared/runtime/trace.ts';
import type { Invoke } from './world-functions.ts';
import type { WorldQueues } from './world-outside.ts';
import type { WorldTime } from './world-time.ts';
import { QUEUES, type QueueName, queueUrl } from './world-variables.ts';

/** How a function takes the messages of a queue. */
export type Consumer = {
  readonly invoke: Invoke;
  readonly batchSize: number;
  readonly maxConcurrency: number;
  readonly timeoutSeconds: number;
};

type Options = {
  readonly now: () => Instant;
  readonly time: WorldTime;
  readonly consumers: Readonly<Record<QueueName, Consumer>>;
  readonly onFailure: (error: unknown) => void;
};

type Message = {
  readonly id: string;
  readonly group: string;
  readonly body: string;
  readonly trace: string | undefined;
  readonly sentAt: Instant;
  received: number;
};

/** The settings of the stack's queues (`infra/stack/actor-queue.ts`), and of FIFO queues of SQS. */
const RETENTION = 15 * MINUTE;
const MOST_RECEIVES = 4;
const DEDUPLICATION = 5 * MINUTE;
const VISIBILITY_PER_TIMEOUT = 6;

/** FIFO queues in this process, each with the function that handles its messages. */
export function createWorldQueues({ now, time, consumers, onFailure }: Options): WorldQueues & {
  readonly deadLetters: () => Readonly<Record<QueueName, number>>;
} {
  const queues = new Map(
    QUEUES.map((name) => [
      queueUrl(name),
      createQueue(name, { now, time, consumer: consumers[name], onFailure }),
    ]),
  );
  return {
    send: async (url, messages) => {
      const queue = queues.get(url);
      if (queue === undefined) throw new RangeError(`there is no queue ${url}`);
      queue.send(messages);
    },
    depth: (url) => {
      const queue = queues.get(url);
      if (queue !== undefined) return queue.depth();
      const dead = QUEUES.find((name) => url === queueUrl(`dead-${name}`));
      const letters = dead && queues.get(queueUrl(dead))?.deadLetters;
      return { waiting: letters?.length ?? 0, underWay: 0 };
    },
    deadLetters: () => ({
      contracts: queues.get(queueUrl('contracts'))?.deadLetters.length ?? 0,
      lists: queues.get(queueUrl('lists'))?.deadLetters.length ?? 0,
      channels: queues.get(queueUrl('channels'))?.deadLetters.length ?? 0,
    }),
  };
}

type Queue = {
  readonly send: (messages: Parameters<WorldQueues['send']>[1]) => void;
  readonly depth: () => QueueDepth;
  readonly deadLetters: readonly string[];
};

function createQueue(
  name: QueueName,
  { now, time, consumer, onFailure }: Omit<Options, 'consumers'> & { readonly consumer: Consumer },
): Queue {
  const groups = new Map<string, Message[]>();
  /** Groups whose messages a worker has, or may still have. */
  const locked = new Set<string>();
  const seen = new Map<string, Instant>();
  const deadLetters: string[] = [];
  let atWork = 0;

  const handOutAll = () => {
    for (const group of groups.keys()) {
      if (atWork >= consumer.maxConcurrency) return;
      if (!locked.has(group)) handOut(group);
    }
  };
  const handOut = (group: string) => {
    const batch = receivable(group).slice(0, consumer.batchSize);
    if (batch.length === 0) return;
    locked.add(group);
    atWork += 1;
    for (const message of batch) message.received += 1;
    void handle(batch).then((failed) => {
      atWork -= 1;
      keep(group, (message) => !batch.includes(message) || failed.has(message.id));
      if (failed.size === 0) locked.delete(group);
      else {
        const visibleAt = now() + VISIBILITY_PER_TIMEOUT * consumer.timeoutSeconds * SECOND;
        time.at(visibleAt, () => {
          locked.delete(group);
          handOutAll();
        });
      }
      handOutAll();
    });
  };

  /** The messages of a group that are still worth something; others become dead letters or expire. */
  const receivable = (group: string): readonly Message[] => {
    for (const message of groups.get(group) ?? []) {
      if (message.received >= MOST_RECEIVES) deadLetters.push(message.body);
    }
    return keep(
      group,
      ({ received, sentAt }) => received < MOST_RECEIVES && now() - sentAt <= RETENTION,
    );
  };
  const keep = (group: string, isKept: (message: Message) => boolean): readonly Message[] => {
    const left = (groups.get(group) ?? []).filter(isKept);
    if (left.length === 0) groups.delete(group);
    else groups.set(group, left);
    return left;
  };

  /** The ids of the messages that come again. */
  const handle = async (batch: readonly Message[]): Promise<ReadonlySet<string>> => {
    try {
      const answer = await consumer.invoke({ Records: batch.map((one) => recordOf(name, one)) });
      return failuresOf(answer);
    } catch (error) {
      onFailure(error);
      return new Set(batch.map(({ id }) => id));
    }
  };

  return {
    deadLetters,
    depth: () => {
      const all = [...groups.values()].reduce((sum, messages) => sum + messages.length, 0);
      const underWay = Math.min(all, atWork);
      return { waiting: all - underWay, underWay };
    },
    send: (messages) => {
      for (const [sent, at] of seen) if (now() - at >= DEDUPLICATION) seen.delete(sent);
      for (const { message, deduplication, group } of messages) {
        const named = `${group} ${deduplication}`;
        if (seen.has(named)) continue;
        seen.set(named, now());
        const known = groups.get(group) ?? [];
        groups.set(group, known);
        known.push({
          ...{ id: randomUUID(), group, body: JSON.stringify(message), trace: currentTrace() },
          ...{ sentAt: now(), received: 0 },
        });
      }
      // After the sender has gone on.
      queueMicrotask(handOutAll);
    },
  };
}

/** A message as Lambda hands it over. */
function recordOf(
  queue: QueueName,
  { id, group, body, trace, sentAt, received }: Message,
): SQSRecord {
  return {
    messageId: id,
    receiptHandle: id,
    body,
    attributes: {
      ApproximateReceiveCount: String(received),
      SentTimestamp: String(sentAt),
      SenderId: 'local',
      ApproximateFirstReceiveTimestamp: String(sentAt),
      MessageGroupId: group,
    },
    messageAttributes:
      trace === undefined ? {} : { trace: { dataType: 'String', stringValue: trace } },
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: `arn:aws:sqs:us-east-1:000000000000:${queue}`,
    awsRegion: 'us-east-1',
  };
}

const BatchAnswer = z.object({
  batchItemFailures: z.array(z.object({ itemIdentifier: z.string() })),
});

function failuresOf(answer: unknown): ReadonlySet<string> {
  const { batchItemFailures } = BatchAnswer.parse(answer);
  return new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
}
