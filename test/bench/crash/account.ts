import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { MemoryTable } from '#infra/local/memory-table.ts';
import { type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import type { Outgoing } from '#shared/domain/messages/outgoing.ts';
import { type Item, keyOfWrite, type Table, type Write } from '#shared/stores/table.ts';
import { meteredTable, type TableUnits } from '#test/bench/costs/metered-table.ts';
import { createTimeline } from '#test/simulation/services/timeline.ts';

/**
 * Quotas published by AWS and assumed latencies in milliseconds; nothing was measured in an
 * account.
 */
export const AWS = {
  latency: { read: 4, write: 7, transaction: 15, query: 7, send: 15, publish: 30 },
  /** From a message's arrival in a queue to the start of its invocation. */
  handOver: 25,
  coldStart: 700,
  /** CPU time on a whole core for one call: building the request and reading the response. */
  perCall: 0.4,
  /** Memory in MB for a whole core; a function gets the proportional share. */
  wholeCore: 1769,
  /** Request units per second of one partition key, and of a new on-demand table. */
  partition: { writes: 1000, reads: 3000 },
  table: { writes: 4000, reads: 12_000 },
  /**
   * Concurrent invocations of an event source at the first message, and the increase each second.
   */
  scaling: { atOnce: 5, more: 5 },
  deduplication: 5 * MINUTE,
} as const;

/**
 * The partition of a transaction's first write; the others are assumed to be in other partitions.
 */
function partitionOf([write]: readonly Write[]): string {
  return write === undefined ? '' : keyOfWrite(write).pk;
}

/** The request units per second that a table allows. */
export type TableRate = { readonly writes: number; readonly reads: number };

/** One instance of a function: it has its own CPU share, and runs its code sequentially. */
export type Instance = { readonly share: number; freeAt: Instant };

/**
 * An account of AWS in virtual time: a table, queues with their functions, and the latency of each
 * call. The table is that of `npm start`, and the functions are the real ones.
 */
export function createAccount(memory: MemoryTable, warm: TableRate, start: Instant) {
  const timeline = createTimeline(start);
  const { now } = timeline;
  const units: TableUnits = { writes: 0, reads: 0 };
  const metered = meteredTable(memory, units);
  const rates = new Map<string, { writes: Instant; reads: Instant }>();
  const waited = new Map<string, number>();

  const wait = (until: Instant) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    timeline.at(Math.ceil(until), () => {
      resolve();
      return true;
    });
    return promise;
  };

  /** Uses CPU time of the instance, then waits for the call's latency. */
  const called = async <Result>(
    instance: Instance,
    latency: number,
    effect: () => Promise<Result>,
  ): Promise<Result> => {
    instance.freeAt = Math.max(now(), instance.freeAt) + AWS.perCall / instance.share;
    await wait(instance.freeAt + latency);
    return await effect();
  };

  /** The time at which the used units are refilled. */
  const taken = (name: string, used: TableRate, rate: TableRate): Instant => {
    const known = rates.get(name) ?? { writes: 0, reads: 0 };
    known.writes = Math.max(known.writes, now()) + (used.writes / rate.writes) * SECOND;
    known.reads = Math.max(known.reads, now()) + (used.reads / rate.reads) * SECOND;
    rates.set(name, known);
    const isOver = Math.max(known.writes, known.reads);
    const waits = isOver - SECOND - now();
    if (waits > 0) waited.set(name, Math.max(waited.get(name) ?? 0, waits));
    return isOver;
  };

  /** A call to a throttled partition or table waits, which simulates the client's retries. */
  const ofTable = async <Result>(
    instance: Instance,
    latency: number,
    pk: string,
    effect: () => Promise<Result>,
  ): Promise<Result> => {
    const { result, isOver } = await called(instance, latency, async () => {
      const before = { ...units };
      const [result] = await Promise.allSettled([effect()]);
      const used = { writes: units.writes - before.writes, reads: units.reads - before.reads };
      const isOver = Math.max(taken(pk, used, AWS.partition), taken('the table', used, warm));
      return { result, isOver };
    });
    // A burst of one second's units is allowed.
    if (isOver > now() + SECOND) await wait(isOver - SECOND);
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  };

  const tableOf = (instance: Instance): Table => ({
    get: (key) => ofTable(instance, AWS.latency.read, key.pk, () => metered.get(key)),
    put: (item: Item, version) =>
      ofTable(instance, AWS.latency.write, item.pk, () => metered.put(item, version)),
    delete: (key, version) =>
      ofTable(instance, AWS.latency.write, key.pk, () => metered.delete(key, version)),
    transact: (writes) =>
      ofTable(instance, AWS.latency.transaction, partitionOf(writes), () =>
        metered.transact(writes),
      ),
    query: (query) => ofTable(instance, AWS.latency.query, query.pk, () => metered.query(query)),
    queryThresholdIndex: (query) =>
      ofTable(instance, AWS.latency.query, query.pk, () => metered.queryThresholdIndex(query)),
    due: (shard, ...range) =>
      ofTable(instance, AWS.latency.query, shard, () => metered.due(shard, ...range)),
  });

  const newInstance = (megabytes: number): Instance => ({
    share: Math.min(1, megabytes / AWS.wholeCore),
    freeAt: 0,
  });

  return {
    timeline,
    units,
    called,
    tableOf,
    newInstance,
    wait,
    /** The throttled partitions, and the longest wait of a call for each. */
    atLimit: () => [...waited].toSorted(([, one], [, other]) => other - one).slice(0, 5),
    queue: <Message>(props: QueueProps<Message>) =>
      createQueue(timeline, newInstance, called, props),
  };
}

type QueueProps<Message> = {
  readonly groupOf: (message: Message) => string;
  readonly batchSize: number;
  readonly concurrency: number;
  /** Whether the queue is busy every minute, so that its instances are warm. */
  readonly isWarm?: boolean;
  readonly megabytes: number;
  readonly timeoutSeconds: number;
  /** Handles messages on an instance. */
  readonly compose: (instance: Instance) => (event: SQSEvent) => Promise<SQSBatchResponse>;
};

/** A message in a queue. */
type Queued = { readonly id: string; readonly body: string };

/** A FIFO queue and its function, with at most one batch of each group at a time. */
function createQueue<Message>(
  { now, at }: ReturnType<typeof createTimeline>,
  newInstance: (megabytes: number) => Instance,
  called: <Result>(
    instance: Instance,
    latency: number,
    effect: () => Promise<Result>,
  ) => Promise<Result>,
  props: QueueProps<Message>,
) {
  const groups = new Map<string, Queued[]>();
  /** Groups with messages to deliver, in the order in which they are served. */
  const ready = new Set<string>();
  const busy = new Set<string>();
  const seen = new Map<string, Instant>();
  const idle: ReturnType<typeof started>[] = [];
  let sent = 0;
  let running = 0;
  let invocations = 0;
  let isScaling = false;
  let firstAt: Instant | undefined;

  const started = () => {
    const instance = newInstance(props.megabytes);
    if (!props.isWarm) instance.freeAt = now() + AWS.coldStart;
    return { instance, handle: props.compose(instance) };
  };
  const allowed = () => {
    const seconds = (now() - (firstAt ?? now())) / SECOND;
    return Math.min(
      props.concurrency,
      props.isWarm
        ? props.concurrency
        : Math.floor(AWS.scaling.atOnce + seconds * AWS.scaling.more),
    );
  };

  const invoke = (group: string) => {
    const batch = (groups.get(group) ?? []).slice(0, props.batchSize);
    if (batch.length === 0) return;
    ready.delete(group);
    busy.add(group);
    running += 1;
    invocations += 1;
    const slot = idle.pop() ?? started();
    const Records = batch.map(
      ({ id, body }) =>
        ({
          ...{ messageId: id, body, messageAttributes: {} },
          attributes: { MessageGroupId: group, ApproximateReceiveCount: '1' },
        }) as SQSRecord,
    );
    const work = slot.handle({ Records });
    void work.then(({ batchItemFailures }) => {
      const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
      const handled = new Set(batch.filter(({ id }) => !failed.has(id)));
      const left = (groups.get(group) ?? []).filter((message) => !handled.has(message));
      if (left.length === 0) groups.delete(group);
      else groups.set(group, left);
      running -= 1;
      idle.push(slot);
      const release = () => {
        busy.delete(group);
        if (groups.has(group)) ready.add(group);
        receive();
        return true;
      };
      // Failed messages are delivered again after their visibility timeout.
      if (failed.size === 0) release();
      else at(now() + 6 * props.timeoutSeconds * SECOND, release);
    });
  };
  const receive = () => {
    for (const group of [...ready]) {
      if (running >= allowed()) break;
      invoke(group);
    }
    if (ready.size === 0 || running >= props.concurrency || isScaling) return;
    isScaling = true;
    at(now() + SECOND / AWS.scaling.more, () => {
      isScaling = false;
      receive();
      return true;
    });
  };

  return {
    /** Sends messages from an instance, ten per call as the client does. */
    sentBy: (instance: Instance) => async (messages: readonly Outgoing<Message>[]) => {
      for (let begin = 0; begin < messages.length; begin += 10) {
        await called(instance, AWS.latency.send, async () => {
          for (const { message, deduplication } of messages.slice(begin, begin + 10)) {
            const group = props.groupOf(message);
            const last = seen.get(`${group} ${deduplication}`);
            if (last !== undefined && now() - last < AWS.deduplication) continue;
            seen.set(`${group} ${deduplication}`, now());
            sent += 1;
            const queued = { id: `${sent}`, body: JSON.stringify(message) };
            const waiting = groups.get(group);
            if (waiting === undefined) groups.set(group, [queued]);
            else waiting.push(queued);
            if (!busy.has(group)) ready.add(group);
          }
          firstAt ??= now();
          at(now() + AWS.handOver, () => {
            receive();
            return true;
          });
        });
      }
    },
    invocations: () => invocations,
  };
}
