import { type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import type { Outgoing } from '#shared/domain/messages/outgoing.ts';
import { type Faults, InjectedFaultError } from './faults.ts';
import type { Stream } from './streams.ts';
import type { Timeline } from './timeline.ts';

export type QueuedMessage = {
  readonly id: string;
  readonly group: string;
  readonly body: string;
  readonly sentAt: Instant;
  received: number;
  isGone: boolean;
};

/** Ends a batch. The failed messages are delivered again. */
export type Settle = (failed: ReadonlySet<string>) => void;

export type FifoQueue<Message> = {
  readonly send: (messages: readonly Outgoing<Message>[]) => Promise<void>;
  /** Redrives dead letters, and deletes the unreadable ones, as operators do. */
  readonly redrive: () => void;
  readonly waiting: () => number;
  /** End of the last delay that a fault caused: the lock of a failed worker, or a late message. */
  readonly heldUntil: () => Instant;
  readonly deadLetters: readonly QueuedMessage[];
};

export type FifoWorld = {
  readonly timeline: Timeline;
  readonly faults: Faults;
  readonly schedule: Stream;
  readonly met: (what: 'redelivery' | 'dead letter' | 'deduplication' | 'expired message') => void;
};

type FifoProps<Message> = {
  readonly name: string;
  readonly groupOf: (message: Message) => string;
  readonly batchSize: number;
  readonly visibilitySeconds: number;
  /** Invokes a function with messages of one group, in order. */
  readonly handle: (batch: readonly QueuedMessage[], settle: Settle) => void;
};

/**
 * No other worker receives messages of the group before `until`, unless they are handled earlier.
 */
type Lock = { readonly until: Instant; isInVain: boolean };

/** An unreadable message. Such a message becomes a dead letter, which operators delete. */
export const GARBLED = '{"kind":"garbled"}';

const DEDUPLICATION = 5 * MINUTE;
const RETENTION = 15 * MINUTE;
const MOST_RECEIVES = 4;

/** A FIFO queue: the messages of a group in order, and one worker at a time. */
export function createFifoQueue<Message>(
  { timeline, faults, schedule, met }: FifoWorld,
  { name, groupOf, batchSize, visibilitySeconds, handle }: FifoProps<Message>,
): FifoQueue<Message> {
  const groups = new Map<string, QueuedMessage[]>();
  const busy = new Map<string, Lock>();
  const seen = new Map<string, Instant>();
  const deadLetters: QueuedMessage[] = [];
  let sent = 0;
  let lateUntil = 0;

  const enqueue = (group: string, body: string) => {
    sent += 1;
    const message: QueuedMessage = {
      id: `${name}-${sent}`,
      group,
      body,
      sentAt: timeline.now(),
      received: 0,
      isGone: false,
    };
    const messages = groups.get(group);
    if (messages === undefined) groups.set(group, [message]);
    else messages.push(message);
    receiveSoon(group);
  };

  const receiveSoon = (group: string) => {
    const isLate = faults.strikes('messageLate');
    const pause = isLate ? schedule.between(1, 240) * SECOND : schedule.between(5, 60);
    const at = timeline.now() + pause;
    if (isLate) lateUntil = Math.max(lateUntil, at);
    timeline.at(at, () => receive(group));
  };

  const forget = (group: string, gone: (message: QueuedMessage) => boolean) => {
    const left = (groups.get(group) ?? []).filter((message) => !gone(message));
    if (left.length === 0) groups.delete(group);
    else groups.set(group, left);
    return left;
  };

  const receive = (group: string): boolean => {
    if (busy.has(group)) return false;
    const expired = (message: QueuedMessage) => timeline.now() - message.sentAt > RETENTION;
    if ((groups.get(group) ?? []).some(expired)) met('expired message');
    const spent = (message: QueuedMessage) => message.received >= MOST_RECEIVES;
    forget(group, expired);
    for (const message of (groups.get(group) ?? []).filter(spent)) {
      met('dead letter');
      deadLetters.push(message);
    }
    const batch = forget(group, spent).slice(0, batchSize);
    if (batch.length === 0) return false;
    const lock: Lock = { until: timeline.now() + visibilitySeconds * SECOND, isInVain: false };
    busy.set(group, lock);
    for (const message of batch) {
      message.received += 1;
      if (message.received > 1) met('redelivery');
    }
    const release = () => {
      if (busy.get(group) !== lock) return false;
      busy.delete(group);
      receiveSoon(group);
      return false;
    };
    handle(batch, (failed) => {
      // A worker that has lost the lock deletes no message: its receipt handles are invalid.
      if (busy.get(group) !== lock) return;
      const isKept = (message: QueuedMessage) =>
        failed.has(message.id) || faults.strikes('messageKept');
      const handled = batch.filter((message) => !isKept(message));
      forget(group, (message) => handled.includes(message));
      lock.isInVain = handled.length < batch.length;
      if (!lock.isInVain) release();
    });
    timeline.at(lock.until, release);
    return true;
  };

  return {
    deadLetters,
    waiting: () => [...groups.values()].reduce((sum, messages) => sum + messages.length, 0),

    heldUntil: () => {
      const locks = [...busy.values()].filter(({ isInVain }) => isInVain);
      return Math.max(lateUntil, ...locks.map(({ until }) => until));
    },

    redrive: () => {
      for (const group of groups.keys()) forget(group, ({ body }) => body === GARBLED);
      for (const { group, body } of deadLetters.splice(0)) {
        if (body !== GARBLED) enqueue(group, body);
      }
    },

    send: async (messages) => {
      const isUnknown = faults.strikes('sendUnknown');
      const arriving = isUnknown
        ? messages.slice(0, schedule.between(0, messages.length))
        : messages;
      for (const { message, deduplication } of arriving) {
        const group = groupOf(message);
        const last = seen.get(`${group} ${deduplication}`);
        if (last !== undefined && timeline.now() - last < DEDUPLICATION) {
          met('deduplication');
          continue;
        }
        seen.set(`${group} ${deduplication}`, timeline.now());
        if (faults.strikes('messageGarbled')) enqueue(group, GARBLED);
        else if (!faults.strikes('messageLost')) enqueue(group, JSON.stringify(message));
      }
      if (isUnknown) throw new InjectedFaultError('the answer to a send was lost');
    },
  };
}
