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

/** How a function consumes the messages of a queue. */
type Consumer = {
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
  readonly messages: KeptMessages;
};

type Message = KeptMessage & { received: number };

/**
 * The settings of the stack's queues (`infra/stack/actor-queue.ts`), and the deduplication interval
 * of SQS.
 */
const RETENTION = 15 * MINUTE;
const MOST_RECEIVES = 4;
const DEDUPLICATION = 5 * MINUTE;
const VISIBILITY_PER_TIMEOUT = 6;

/** The stored form of a message. */
type KeptMessage = {
  readonly id: string;
  readonly queue: QueueName;
  readonly group: string;
  readonly body: string;
  readonly trace: string | undefined;
  readonly sentAt: Instant;
};

/** The stored messages, which outlive a process. */
export type KeptMessages = {
  readonly all: () => readonly KeptMessage[];
  readonly add: (message: KeptMessage) => void;
  readonly remove: (id: string) => void;
};

export const NOT_KEPT: KeptMessages = { all: () => [], add: () => {}, remove: () => {} };

/** The queues of a stack in this process, with access to their dead letters. */
export type LocalQueues = WorldQueues & {
  readonly deadLetters: (queue: QueueName) => readonly KeptMessage[];
  /** Sends the dead letters of a queue again and returns their number. */
  readonly redrive: (queue: QueueName) => number;
};

/** In-memory FIFO queues, each with the function that consumes its messages. */
export function createWorldQueues(options: Options): LocalQueues {
  const made = QUEUES.map((name) => [name, createQueue(name, options)] as const);
  const queueOf = (name: QueueName) => {
    const [, queue] = made.find(([one]) => one === name) ?? [];
    if (queue === undefined) throw new RangeError(`there is no queue ${name}`);
    return queue;
  };
  return {
    send: async (url, messages) => {
      const name = QUEUES.find((one) => url === queueUrl(one));
      if (name === undefined) throw new RangeError(`there is no queue ${url}`);
      queueOf(name).send(messages);
    },
    depth: (url) => {
      const name = QUEUES.find((one) => url === queueUrl(one));
      if (name !== undefined) return queueOf(name).depth();
      const dead = QUEUES.find((one) => url === queueUrl(`dead-${one}`));
      return { waiting: dead ? queueOf(dead).deadLetters.length : 0, underWay: 0 };
    },
    deadLetters: (name) => queueOf(name).deadLetters,
    redrive: (name) => queueOf(name).redrive(),
  };
}

type Queue = {
  readonly send: (messages: Parameters<WorldQueues['send']>[1]) => void;
  readonly depth: () => QueueDepth;
  readonly deadLetters: readonly KeptMessage[];
  readonly redrive: () => number;
};

function createQueue(
  name: QueueName,
  { now, time, consumers, onFailure, messages: kept }: Options,
): Queue {
  const consumer = consumers[name];
  const groups = new Map<string, Message[]>();
  /** Groups with messages in progress, or messages that are still invisible after a failure. */
  const locked = new Set<string>();
  const seen = new Map<string, Instant>();
  const deadLetters: KeptMessage[] = [];
  let atWork = 0;

  const enqueue = (message: KeptMessage) => {
    const known = groups.get(message.group) ?? [];
    groups.set(message.group, known);
    known.push({ ...message, received: 0 });
    kept.add(message);
  };
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

  /** The messages of a group that can be received; others move to the dead letters or expire. */
  const receivable = (group: string): readonly Message[] => {
    for (const message of groups.get(group) ?? []) {
      if (message.received >= MOST_RECEIVES) deadLetters.push(message);
    }
    return keep(
      group,
      ({ received, sentAt }) => received < MOST_RECEIVES && now() - sentAt <= RETENTION,
    );
  };
  const keep = (group: string, isKept: (message: Message) => boolean): readonly Message[] => {
    const all = groups.get(group) ?? [];
    const left = all.filter(isKept);
    for (const { id } of all) if (!left.some((message) => message.id === id)) kept.remove(id);
    if (left.length === 0) groups.delete(group);
    else groups.set(group, left);
    return left;
  };

  /** Returns the ids of the failed messages, which are received again. */
  const handle = async (batch: readonly Message[]): Promise<ReadonlySet<string>> => {
    try {
      const answer = await consumer.invoke({ Records: batch.map((one) => recordOf(name, one)) });
      return failuresOf(answer);
    } catch (error) {
      onFailure(error);
      return new Set(batch.map(({ id }) => id));
    }
  };

  for (const message of kept.all()) if (message.queue === name) enqueue(message);
  queueMicrotask(handOutAll);

  return {
    deadLetters,
    redrive: () => {
      const moved = deadLetters.splice(0);
      for (const message of moved) enqueue({ ...message, id: randomUUID(), sentAt: now() });
      handOutAll();
      return moved.length;
    },
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
        enqueue({
          ...{ id: randomUUID(), queue: name, group, body: JSON.stringify(message) },
          ...{ trace: currentTrace(), sentAt: now() },
        });
      }
      // Deferred, so that the sender continues before the consumer starts.
      queueMicrotask(handOutAll);
    },
  };
}

/** A message as Lambda delivers it. */
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
