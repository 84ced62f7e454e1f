import { type Alert, alertSortKey } from '#shared/domain/alerting/alert.ts';
import { type Notification, notificationId } from '#shared/domain/alerting/notification.ts';
import type { ChatAnswer } from '#shared/domain/channels/chat-answer.ts';
import { DAY, type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import type { Item, Key } from '#shared/stores/table.ts';
import type { Written } from '#test/simulation/services/faulty-table.ts';
import type { Invocation } from '#test/simulation/services/sandbox.ts';

export type ChannelInvariantsWorld = {
  readonly broken: (invariant: string, what: string) => void;
  readonly met: (
    what:
      | 'channel changed during a request'
      | 'batch for a program'
      | 'destination is gone'
      | 'failure within a round'
      | 'destination throttles'
      | 'topic is gone',
  ) => void;
  readonly now: () => Instant;
};

export type ChannelInvariants = {
  /**
   * Called when a notification reaches its destination. The destination may still answer with a
   * failure.
   */
  readonly arrived: (destinationId: string, notification: Notification, by: Invocation) => void;
  /**
   * Called when a destination has answered a notification. Without a notification, the destination
   * has answered a challenge.
   */
  readonly answered: (
    destinationId: string,
    answer: ChatAnswer,
    by: Invocation,
    notification?: Notification,
  ) => void;
  readonly channelWritten: (written: Written) => void;
  readonly listWritten: (written: Written) => void;
  readonly alertWritten: (written: Written) => void;
  readonly atRest: () => void;
};

/** The state of a destination, derived from the requests that it receives. */
type Mailbox = {
  /** Ids of the notifications that contained each alert. */
  readonly notifications: Map<string, Set<string>>;
  /**
   * Alerts received before the channel last changed. The change may have made batches smaller, so
   * these alerts may be repeated in other notifications.
   */
  hadBefore: ReadonlySet<string>;
  /** The number of the last alert of each watch. */
  readonly numbers: Map<string, number>;
  /** Accepted notifications whose answer a worker could record. */
  taken: readonly Taken[];
  isUnderWay: boolean;
  /** Start of the period in which the current address has not been reported as gone. */
  openSince: Instant | undefined;
  /** The current address; `goneAddress` is the last one reported as gone. */
  address: string | undefined;
  changedAt: Instant;
  /** When a disturbed worker last wrote the record of the channel. */
  settledLateAt: Instant;
  goneAddress: string | undefined;
  /** Alerts of the notifications that the destination answered with "gone". */
  readonly refused: Set<string>;
  /** Whether other channels were notified that this one is gone. */
  isReported: boolean | 'perhaps';
  /** The period in which the destination must receive no requests. */
  closed: Closed | undefined;
  /**
   * Number of writes of the channel's record. Requests without a write between them belong to one
   * round.
   */
  writes: number;
};

type Closed = {
  readonly until: Instant;
  readonly why: string;
  readonly by: Invocation;
  readonly writes: number;
};

type Taken = {
  readonly at: Instant;
  readonly by: Invocation;
  readonly tellsOfCritical: boolean;
  /** The notification; undefined for a challenge. */
  readonly id: string | undefined;
};

function tellsOfCritical(notification: Notification | undefined): boolean {
  const alerts = notification === undefined ? [] : alertsIn(notification);
  return alerts.some(({ severity }) => severity === 'critical');
}

function byPlace(one: Alert, other: Alert): number {
  return alertSortKey(one) < alertSortKey(other) ? -1 : 1;
}

/** Whether an invocation is in the round of requests in which the destination was closed. */
function isOfRound({ closed, writes }: Mailbox, by: Invocation): boolean {
  return closed?.by === by && closed.writes === writes;
}

/** The alerts that a notification lists. */
function alertsIn(notification: Notification) {
  if (notification.kind === 'alert') return [notification.alert];
  return notification.singly?.map(({ alert }) => alert) ?? notification.alerts;
}

/** The batch size of the simulated webhooks. */
export const BATCH_SIZE = 5;

/** Maximum number of messages to people in a rolling minute, and minimum time between two. */
const PACE = 5;
const PAUSE = SECOND;

/**
 * Checks the notifications that destinations receive: their order, their rate, and the pauses after
 * refusals.
 */
export function createChannelInvariants({
  broken,
  met,
  now,
}: ChannelInvariantsWorld): ChannelInvariants {
  const mailboxes = new Map<string, Mailbox>();
  /**
   * Alerts posted by a worker that had timed out. A mute written since then may already have
   * summarized these alerts.
   */
  const postedLate = new Set<string>();
  const mailboxOf = (destinationId: string): Mailbox => {
    const known = mailboxes.get(destinationId);
    if (known !== undefined) return known;
    const mailbox: Mailbox = {
      notifications: new Map(),
      hadBefore: new Set(),
      numbers: new Map(),
      taken: [],
      isUnderWay: false,
      openSince: undefined,
      address: undefined,
      changedAt: 0,
      settledLateAt: 0,
      goneAddress: undefined,
      refused: new Set(),
      isReported: false,
      closed: undefined,
      writes: 0,
    };
    mailboxes.set(destinationId, mailbox);
    return mailbox;
  };

  /**
   * The alerts of a watch arrive in the order of their numbers. A repetition has the same
   * notification id.
   */
  const checkOrder = (destinationId: string, notification: Notification, by: Invocation) => {
    const { notifications, hadBefore, numbers, changedAt } = mailboxOf(destinationId);
    const id = notificationId(notification);
    // A stale worker uses the earlier address or the earlier batch size of a changed channel. A
    // worker that had timed out may not have read the digest of a later worker.
    const isOfBefore = by.startedAt < changedAt || by.isOver;
    // A burst lists its worst alerts first.
    const isBurst = notification.kind === 'digest' && notification.burst !== undefined;
    const alerts = alertsIn(notification);
    for (const alert of isBurst ? alerts.toSorted(byPlace) : alerts) {
      const before = notifications.get(alert.id);
      if (before !== undefined) {
        if (!before.has(id) && !hadBefore.has(alert.id) && !isOfBefore)
          broken('a repetition has the same notification id', `${destinationId} got ${alert.id}`);
        continue;
      }
      notifications.set(alert.id, new Set([id]));
      const [, generation, number, summary] = /^(.*)\.(\d+)(s?)$/.exec(alert.id) ?? [];
      if (generation === undefined || alert.contract === null) continue;
      // Critical alerts overtake alerts from before the rule became critical.
      const watch = `${generation} ${alert.severity === 'critical'}`;
      const last = numbers.get(watch) ?? 0;
      // A worker that had timed out may have sent the held alerts singly. The summary of these
      // alerts has the number of the last one.
      const isLater = summary === 's' ? Number(number) >= last : Number(number) > last;
      // A worker that had timed out may still send alerts that the destination refused from later
      // workers.
      if (!isLater && !by.isOver && !postedLate.has(alert.id))
        broken('the alerts of a watch arrive in order', `${destinationId}: ${alert.id}`);
      numbers.set(watch, Math.max(last, Number(number)));
    }
  };

  const checkPace = (destinationId: string, { taken }: Mailbox, notification: Notification) => {
    const known = taken.filter(({ by }) => by.disturbance === undefined);
    // Critical messages have a budget of the same size.
    const isFull = (messages: readonly { readonly at: number }[], most: number) =>
      now() - (messages.at(-most)?.at ?? 0) < MINUTE;
    const isOrdinary = !tellsOfCritical(notification);
    const ordinary = known.filter((message) => !message.tellsOfCritical);
    if (isFull(known, 2 * PACE) || (isOrdinary && isFull(ordinary, PACE))) {
      broken('people get at most five messages in a minute', destinationId);
    }
    const last = known.at(-1);
    if (last !== undefined && now() - last.at < PAUSE)
      broken('messages to people are at least a second apart', destinationId);
  };

  const checkClosed = (destinationId: string, mailbox: Mailbox, by: Invocation) => {
    const { closed } = mailbox;
    if (closed === undefined || closed.by.disturbance !== undefined || closed.until <= now())
      return;
    if (isOfRound(mailbox, by)) return met('failure within a round');
    broken(
      'a destination that refuses is not called during its pause',
      `${destinationId}: ${closed.why}`,
    );
  };

  return {
    arrived: (destinationId, notification, by) => {
      const mailbox = mailboxOf(destinationId);
      checkOrder(destinationId, notification, by);
      if (notification.kind === 'digest' && !isForPeople(destinationId)) {
        met('batch for a program');
        const { id, count, singly = [] } = notification;
        if (singly.length !== count || count > BATCH_SIZE)
          broken('a batch contains every alert', `${destinationId} got ${id}`);
      }
      const isTest = notification.kind === 'alert' && notification.alert.kind === 'test';
      if (by.disturbance !== undefined || isTest) return;
      if (isForPeople(destinationId)) checkPace(destinationId, mailbox, notification);
      checkClosed(destinationId, mailbox, by);
    },

    answered: (destinationId, answer, by, notification) => {
      const mailbox = mailboxOf(destinationId);
      // A worker that began before a change called the former address. A worker that began before a
      // late write cannot record the refusal.
      const isOfBefore = by.startedAt < Math.max(mailbox.changedAt, mailbox.settledLateAt);
      const shut = (until: Instant, why: string) => {
        // The answer to a function that has timed out is never recorded.
        if (!isOfBefore && !by.isOver) mailbox.closed = { until, why, by, writes: mailbox.writes };
      };
      switch (answer.kind) {
        case 'accepted':
        case 'sent':
          mailbox.taken = withTaken(mailbox.taken, {
            ...{ at: now(), by, id: notification && notificationId(notification) },
            tellsOfCritical: tellsOfCritical(notification),
          });
          // A request of the same round began before the destination was known to be gone.
          if (mailbox.closed?.why === GONE && isOfRound(mailbox, by)) break;
          mailbox.closed = undefined;
          mailbox.goneAddress = undefined;
          break;
        case 'gone':
          met('destination is gone');
          for (const { id } of notification ? alertsIn(notification) : []) mailbox.refused.add(id);
          if (mailbox.closed?.why !== GONE) {
            // An edit that keeps the address, or was undone before any call, does not reopen the
            // channel.
            const isSame = mailbox.address !== undefined && mailbox.goneAddress === mailbox.address;
            mailbox.isReported = isSame && 'perhaps';
          }
          shut(Number.POSITIVE_INFINITY, GONE);
          mailbox.openSince = undefined;
          mailbox.goneAddress = mailbox.address;
          break;
        case 'failed':
          if (answer.retryAfterSeconds !== undefined) met('destination throttles');
          shut(now() + pauseOf(answer) * SECOND, answer.reason);
          break;
        case 'no_topic':
          met('topic is gone');
          shut(now() + 60 * SECOND, answer.kind);
          break;
        case 'refused':
        case 'skipped':
          break;
      }
    },

    channelWritten: ({ key, before, after, by }) => {
      const mailbox = mailboxOf(destinationIdOf(key));
      mailbox.writes += 1;
      // Testing a channel ends its pause at once.
      if (by.function.startsWith('manage-channels') && mailbox.closed?.why !== GONE) {
        mailbox.closed = undefined;
      }
      // A stale worker records a late success and clears a newer failure.
      const isLate = by.disturbance !== undefined && before?.failure !== undefined;
      if (isLate && after?.failure === undefined && mailbox.closed?.why !== GONE) {
        mailbox.closed = undefined;
      }
      if (by.disturbance !== undefined) mailbox.settledLateAt = now();
      mailbox.isUnderWay = after?.notification !== undefined;
      // Removing a channel also removes its message budget.
      if (before !== undefined && after === undefined) mailbox.taken = [];
    },

    listWritten: ({ key: { pk, sk }, before, after }) => {
      const [old, young] = [channelsOf(before), channelsOf(after)];
      const mailboxIn = (id: string) =>
        mailboxOf(`${pk.slice(TENANT.length)}#${sk.slice(LIST.length)}#${id}`);
      for (const [id, channel] of old) {
        if (JSON.stringify(young.get(id)) === JSON.stringify(channel)) continue;
        const mailbox = mailboxIn(id);
        mailbox.closed = undefined;
        mailbox.changedAt = now();
        mailbox.hadBefore = new Set(mailbox.notifications.keys());
        const address = addressOf(young.get(id));
        // A channel stays off if it returns to its refused address before another address was
        // tried.
        const isOpen = address !== undefined && address !== mailbox.goneAddress;
        mailbox.openSince = isOpen && address !== addressOf(channel) ? now() : undefined;
        if (mailbox.isUnderWay) met('channel changed during a request');
      }
      for (const [id, channel] of young) mailboxIn(id).address = addressOf(channel);
    },

    alertWritten: ({ before, after, by }) => {
      if (after === undefined) return;
      const { alert, deliveries } = after as unknown as AlertRecordItem;
      if (before === undefined && by.disturbance !== undefined) postedLate.add(alert.id);
      const known = (before as unknown as AlertRecordItem | undefined)?.deliveries ?? {};
      for (const [destinationId, { state, reason = '' }] of Object.entries(deliveries)) {
        const mailbox = mailboxOf(destinationId);
        const { openSince = now(), refused, notifications } = mailbox;
        const isNewlyFailed = state === 'failed' && known[destinationId]?.state !== 'failed';
        // A failed alert leaves its notification, and the remaining alerts are repeated without it.
        const left = notifications.get(alert.id);
        if (isNewlyFailed && left !== undefined) {
          const others = [...notifications].filter(([, ids]) => !left.isDisjointFrom(ids));
          mailbox.hadBefore = new Set([...mailbox.hadBefore, ...others.map(([id]) => id)]);
        }
        // The answer of the former address may be recorded late, by the next worker.
        if (refused.has(alert.id)) continue;
        if (!isNewlyFailed || !reason.includes('410') || openSince >= by.startedAt) continue;
        broken('a channel with a new address is open again', `${destinationId}: ${alert.id}`);
      }
      const [, name] =
        /^(?:Channel|Contact point) "([^"]+)"(?: of watchlist "[^"]+")? is off/.exec(alert.title) ??
        [];
      if (before !== undefined || alert.kind !== 'channel_off' || name === undefined) return;
      const destinationId = `${alert.tenant}#${alert.watchlist}#${name}`;
      const mailbox = mailboxOf(destinationId);
      if (mailbox.isReported === true)
        broken('a channel that is off is reported once', destinationId);
      mailbox.isReported = true;
    },

    atRest: () => {
      for (const [destinationId, { closed, isReported }] of mailboxes) {
        if (closed?.why !== GONE || closed.by.disturbance !== undefined || isReported) continue;
        broken('other channels report a channel that is off', destinationId);
      }
    },
  };
}

/**
 * Seconds without calls after a failed answer. A requested pause of more than a day is ignored,
 * because alerts are given up after a day.
 */
function pauseOf({ retryAfterSeconds = 60 }: { readonly retryAfterSeconds?: number }): number {
  return retryAfterSeconds * SECOND > DAY ? 60 : retryAfterSeconds;
}

const GONE = 'it is gone';

type AlertRecordItem = {
  readonly alert: {
    readonly id: string;
    readonly kind: string;
    readonly title: string;
    readonly tenant: string;
    readonly watchlist: string;
  };
  readonly deliveries: Readonly<
    Record<string, { readonly state: string; readonly reason?: string }>
  >;
};

type ChannelDocument = {
  readonly url?: string | { readonly hash: string };
  readonly to?: unknown;
};

/** The address of a channel, or undefined without a channel. */
function addressOf(channel: unknown): string | undefined {
  if (channel === undefined) return undefined;
  const { url, to } = channel as ChannelDocument;
  // Sealing the same address again changes its text but not its hash.
  return JSON.stringify([typeof url === 'object' ? url.hash : url, to]);
}

const CHANNEL = 'CHANNEL#';
const TENANT = 'TENANT#';
const LIST = 'LIST#';

function destinationIdOf({ pk, sk }: Key): string {
  const name = sk.slice(CHANNEL.length);
  return pk === 'STACK' ? name : `${pk.slice(TENANT.length)}#${name}`;
}

function channelsOf(list: Item | undefined): ReadonlyMap<string, unknown> {
  const channels = (list?.channels ?? []) as readonly { readonly id: string }[];
  return new Map(channels.map((channel) => [channel.id, channel]));
}

/** The operators' topic, and the channels that users.ts gives a list or a tenant. */
function isForPeople(destinationId: string): boolean {
  return destinationId === 'stack-topic' || /#(tenant-)?(desk|team)$/.test(destinationId);
}

/** Adds an accepted notification. A repetition does not count again. */
function withTaken(taken: readonly Taken[], one: Taken): readonly Taken[] {
  const isRepeated = one.id !== undefined && taken.some(({ id }) => id === one.id);
  return isRepeated ? taken : [...taken, one].slice(-3 * PACE);
}
