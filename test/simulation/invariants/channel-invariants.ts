import { type Alert, placeOf } from '#shared/domain/alerting/alert.ts';
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
      | 'channel changed under way'
      | 'batch for a program'
      | 'destination is gone'
      | 'failure within a round'
      | 'destination throttles'
      | 'topic is gone',
  ) => void;
  readonly now: () => Instant;
};

export type ChannelInvariants = {
  /** A notification is at its destination, whatever is answered then. */
  readonly arrived: (destinationId: string, notification: Notification, by: Invocation) => void;
  /** It has answered to a notification; without one to a challenge. */
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

/** What a destination got, as it saw it. */
type Mailbox = {
  /** The notifications that each alert came with. */
  readonly notifications: Map<string, Set<string>>;
  /** Alerts that it had before it was changed: it may take fewer at once now. */
  hadBefore: ReadonlySet<string>;
  /** The number of the last alert of each watch. */
  readonly numbers: Map<string, number>;
  /** What it took, with an answer that a worker could note. */
  taken: readonly Taken[];
  isUnderWay: boolean;
  /** Since when it has not said of the address that it has now that it is gone. */
  openSince: Instant | undefined;
  /** Where it leads, and where it led when it said last that it is gone. */
  address: string | undefined;
  changedAt: Instant;
  /** When a stale worker last settled its notification, under another worker with the same. */
  settledLateAt: Instant;
  goneAddress: string | undefined;
  /** The alerts that it was sent when it said that it is gone. */
  readonly refused: Set<string>;
  /** Whether others have heard that it is gone. */
  isReported: boolean | 'perhaps';
  /** It is to be left alone until then. */
  closed: Closed | undefined;
  /** Writes of its record. Requests without a write between them are one round. */
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
  return placeOf(one) < placeOf(other) ? -1 : 1;
}

/** The alerts that a notification lists. */
function alertsIn(notification: Notification) {
  if (notification.kind === 'alert') return [notification.alert];
  return notification.singly?.map(({ alert }) => alert) ?? notification.alerts;
}

/** The most alerts that a program takes in one request. */
export const BATCH_SIZE = 5;

/** What people get in a rolling minute, and what lies between two messages. */
const PACE = 5;
const PAUSE = SECOND;

/**
 * Looks at notifications as their destinations do: their order, their pace, and whether a "no" is
 * heard.
 */
export function createChannelInvariants({
  broken,
  met,
  now,
}: ChannelInvariantsWorld): ChannelInvariants {
  const mailboxes = new Map<string, Mailbox>();
  /** Alerts posted by a worker that should be dead: what a mute holds since may have been summed up. */
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
   * The alerts of a watch come in the order of their numbers; a repetition is the same
   * notification.
   */
  const checkOrder = (destinationId: string, notification: Notification, by: Invocation) => {
    const { notifications, hadBefore, numbers, changedAt } = mailboxOf(destinationId);
    const id = notificationId(notification);
    // A stale worker follows the channel as it was before a change: to the former address, or in batches.
    const isOfBefore = by.startedAt < changedAt;
    // A crowd is told of with the worst first.
    const isCrowd = notification.kind === 'digest' && notification.crowd !== undefined;
    const told = alertsIn(notification);
    for (const alert of isCrowd ? told.toSorted(byPlace) : told) {
      const before = notifications.get(alert.id);
      if (before !== undefined) {
        if (!before.has(id) && !hadBefore.has(alert.id) && !isOfBefore)
          broken('a repetition is the same notification', `${destinationId} got ${alert.id}`);
        continue;
      }
      notifications.set(alert.id, new Set([id]));
      const [, generation, number, summary] = /^(.*)\.(\d+)(s?)$/.exec(alert.id) ?? [];
      if (generation === undefined || alert.contract === null) continue;
      // What is critical goes before what was said when the rule was not.
      const watch = `${generation} ${alert.severity === 'critical'}`;
      const last = numbers.get(watch) ?? 0;
      // A worker that should be dead may have reported singly what a mute then held, and its summary counts.
      const isLater = summary === 's' ? Number(number) >= last : Number(number) > last;
      // What was refused to others is reported after all by a worker that began before them and should be
      // dead.
      if (!isLater && !by.isOver && !postedLate.has(alert.id))
        broken('alerts come in their order', `${destinationId}: ${alert.id}`);
      numbers.set(watch, Math.max(last, Number(number)));
    }
  };

  const checkPace = (destinationId: string, { taken }: Mailbox, notification: Notification) => {
    const known = taken.filter(({ by }) => by.disturbance === undefined);
    // What is critical has as many messages of its own.
    const isFull = (messages: readonly { readonly at: number }[], most: number) =>
      now() - (messages.at(-most)?.at ?? 0) < MINUTE;
    const isOrdinary = !tellsOfCritical(notification);
    const ordinary = known.filter((message) => !message.tellsOfCritical);
    if (isFull(known, 2 * PACE) || (isOrdinary && isFull(ordinary, PACE))) {
      broken('people get five messages in a minute', destinationId);
    }
    const last = known.at(-1);
    if (last !== undefined && now() - last.at < PAUSE)
      broken('people get time to read', destinationId);
  };

  const checkClosed = (destinationId: string, { closed, writes }: Mailbox, by: Invocation) => {
    if (closed === undefined || closed.by.disturbance !== undefined || closed.until <= now())
      return;
    if (closed.by === by && closed.writes === writes) return met('failure within a round');
    broken('a destination that says no is left alone', `${destinationId}: ${closed.why}`);
  };

  return {
    arrived: (destinationId, notification, by) => {
      const mailbox = mailboxOf(destinationId);
      checkOrder(destinationId, notification, by);
      if (notification.kind === 'digest' && !isForPeople(destinationId)) {
        met('batch for a program');
        const { id, count, singly = [] } = notification;
        if (singly.length !== count || count > BATCH_SIZE)
          broken('programs get every alert', `${destinationId} got ${id}`);
      }
      const isTest = notification.kind === 'alert' && notification.alert.kind === 'test';
      if (by.disturbance !== undefined || isTest) return;
      if (isForPeople(destinationId)) checkPace(destinationId, mailbox, notification);
      checkClosed(destinationId, mailbox, by);
    },

    answered: (destinationId, answer, by, notification) => {
      const mailbox = mailboxOf(destinationId);
      // A worker of before a change has asked the former address; one of before a late settlement
      // cannot record its refusal any more.
      const isOfBefore = by.startedAt < Math.max(mailbox.changedAt, mailbox.settledLateAt);
      const shut = (until: Instant, why: string) => {
        // An answer to a function that has timed out reaches nobody.
        if (!isOfBefore && !by.isOver) mailbox.closed = { until, why, by, writes: mailbox.writes };
      };
      switch (answer.kind) {
        case 'accepted':
        case 'sent':
          mailbox.taken = withTaken(mailbox.taken, {
            ...{ at: now(), by, id: notification && notificationId(notification) },
            tellsOfCritical: tellsOfCritical(notification),
          });
          mailbox.closed = undefined;
          mailbox.goneAddress = undefined;
          break;
        case 'gone':
          met('destination is gone');
          for (const { id } of notification ? alertsIn(notification) : []) mailbox.refused.add(id);
          if (mailbox.closed?.why !== GONE) {
            // An edit that leaves its address alone, or that nobody has looked at, opens no channel.
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
      // A test of a channel has it tried at once.
      if (by.function.startsWith('manage-channels') && mailbox.closed?.why !== GONE) {
        mailbox.closed = undefined;
      }
      // A stale worker reports late that its notification was taken, and clears a newer failure.
      const isLate = by.disturbance !== undefined && before?.failure !== undefined;
      if (isLate && after?.failure === undefined && mailbox.closed?.why !== GONE) {
        mailbox.closed = undefined;
      }
      if (by.disturbance !== undefined) mailbox.settledLateAt = now();
      mailbox.isUnderWay = after?.notification !== undefined;
      // Of a channel that is removed nothing is known any more.
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
        // A worker that comes back to what has said no, before any has looked elsewhere, has opened nothing.
        const isOpen = address !== undefined && address !== mailbox.goneAddress;
        mailbox.openSince = isOpen && address !== addressOf(channel) ? now() : undefined;
        if (mailbox.isUnderWay) met('channel changed under way');
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
        // An alert that is given up leaves its notification, and the others are repeated without it.
        const left = notifications.get(alert.id);
        if (isNewlyFailed && left !== undefined) {
          const others = [...notifications].filter(([, ids]) => !left.isDisjointFrom(ids));
          mailbox.hadBefore = new Set([...mailbox.hadBefore, ...others.map(([id]) => id)]);
        }
        // What the former address had said may be noted only by the next worker.
        if (refused.has(alert.id)) continue;
        if (!isNewlyFailed || !reason.includes('410') || openSince >= by.startedAt) continue;
        broken('a channel that leads elsewhere is on again', `${destinationId}: ${alert.id}`);
      }
      const [, name] =
        /^(?:Channel|Contact point) "([^"]+)"(?: of watchlist "[^"]+")? is off/.exec(alert.title) ??
        [];
      if (before !== undefined || alert.kind !== 'channel_off' || name === undefined) return;
      const destinationId = `${alert.tenant}#${alert.watchlist}#${name}`;
      const mailbox = mailboxOf(destinationId);
      if (mailbox.isReported === true)
        broken('that a channel is off is reported once', destinationId);
      mailbox.isReported = true;
    },

    atRest: () => {
      for (const [destinationId, { closed, isReported }] of mailboxes) {
        if (closed?.why !== GONE || closed.by.disturbance !== undefined || isReported) continue;
        broken('others hear that a channel is off', destinationId);
      }
    },
  };
}

/** An alert is given up after a day: a longer pause is not kept, and an alert is at most a day old. */
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

/** Where a channel leads; undefined where it is not there. */
function addressOf(channel: unknown): string | undefined {
  if (channel === undefined) return undefined;
  const { url, to } = channel as ChannelDocument;
  // What is sealed again is another text, with the same hash.
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

/** What was taken, with one more. A repetition of the same notification is no other message. */
function withTaken(taken: readonly Taken[], one: Taken): readonly Taken[] {
  const isRepeated = one.id !== undefined && taken.some(({ id }) => id === one.id);
  return isRepeated ? taken : [...taken, one].slice(-3 * PACE);
}
