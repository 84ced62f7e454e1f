import { type Notification, notificationId } from '#shared/domain/alerting/notification.ts';
import { type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type { Item } from '#shared/stores/table.ts';
import { TIME_ZONES } from '#test/simulation/actors/users.ts';
import type { Written } from '#test/simulation/services/faulty-table.ts';
import type { Invocation } from '#test/simulation/services/sandbox.ts';

export type QuietInvariantsWorld = {
  readonly broken: (invariant: string, what: string) => void;
  readonly met: (
    what: 'held for quiet hours' | 'held for a burst' | 'quiet hours are over',
  ) => void;
  readonly now: () => Instant;
};

/** Checks quiet hours and bursts by the messages that receivers get. */
export type QuietInvariants = {
  readonly listWritten: (written: Written) => void;
  readonly channelWritten: (written: Written) => void;
  readonly inboxWritten: (written: Written) => void;
  readonly arrived: (destinationId: string, notification: Notification, by: Invocation) => void;
};

type Hours = {
  readonly from: string;
  readonly to: string;
  readonly timeZone?: string;
  readonly severity?: string;
};
type ListItem = {
  readonly quiet?: readonly Hours[];
  readonly timeZone?: string;
  readonly channels?: readonly { readonly id: string; readonly quiet?: readonly Hours[] }[];
};
type Revision = { readonly at: Instant; readonly list: ListItem };
type Begun = { readonly from: Instant; readonly to: Instant; readonly isDisturbed: boolean };

const DAY_MINUTES = 24 * 60;
/**
 * The longest quiet time that users.ts creates: hours of a list, followed by hours of a channel.
 */
const LONGEST = 2 * 25 * MINUTE;

/**
 * Only critical alerts may reach people in quiet hours, and only quiet hours or bursts may hold
 * alerts.
 */
export function createQuietInvariants({ broken, met, now }: QuietInvariantsWorld): QuietInvariants {
  const revisions = new Map<string, Revision[]>();
  const begun = new Map<string, Begun>();
  /** Watches with held alerts, by inbox and end of the hold. */
  const held = new Set<string>();
  /** Critical entries that wait, by inbox and watch. */
  const critical = new Map<string, Set<string>>();

  /** The documents of a list that were in force at any time between two moments. */
  const inForce = (path: string, from: Instant, to: Instant): readonly ListItem[] => {
    const known = revisions.get(path) ?? [];
    const first = known.findLastIndex(({ at }) => at <= from);
    const seen = known.slice(Math.max(0, first)).filter(({ at }) => at <= to);
    return seen.length === 0 ? [{}] : seen.map(({ list }) => list);
  };

  /**
   * Whether the list and the channel have quiet hours: with `every` in all states that a worker may
   * have read, otherwise in at least one of these states.
   */
  const saysQuiet = (
    destinationId: string,
    { tenant, watchlist, severity }: { tenant: string; watchlist: string; severity: string },
    { from, to }: Pick<Begun, 'from' | 'to'>,
    every: boolean,
  ): boolean => {
    const [, listOfChannel = '', channel = ''] = destinationId.split('#');
    const cases = inForce(`${tenant} ${watchlist}`, from, to).flatMap((list) =>
      inForce(`${tenant} ${listOfChannel}`, from, to).map(({ channels = [] }) => ({
        hours: [...(list.quiet ?? []), ...(channels.find(({ id }) => id === channel)?.quiet ?? [])],
        timeZone: list.timeZone,
      })),
    );
    const isQuiet = ({ hours, timeZone }: (typeof cases)[number], at: Instant) =>
      hours.some(
        (one) =>
          (one.severity ?? severity) === severity &&
          isIn(one, one.timeZone ?? timeZone ?? 'UTC', at),
      );
    const moments = [from, to];
    return every
      ? cases.every((one) => moments.every((at) => isQuiet(one, at)))
      : cases.some((one) => moments.some((at) => isQuiet(one, at)));
  };

  const criticalOf = (destinationId: string, watch: string): Set<string> => {
    const path = `${destinationId} ${watch}`;
    const known = critical.get(path) ?? new Set();
    critical.set(path, known);
    return known;
  };

  return {
    listWritten: ({ key: { pk, sk }, after }) => {
      const path = `${pk.slice('TENANT#'.length)} ${sk.slice('LIST#'.length)}`;
      const list = (after ?? {}) as unknown as ListItem;
      revisions.set(path, [...(revisions.get(path) ?? []), { at: now(), list }]);
    },

    channelWritten: ({ key: { pk, sk }, after, by }) => {
      const id = notificationOf(after);
      const name = `${pk.slice('TENANT#'.length)}#${sk.slice('CHANNEL#'.length)} ${id}`;
      if (id === undefined || begun.has(name)) return;
      begun.set(name, {
        ...{ from: by.startedAt, to: now(), isDisturbed: by.disturbance !== undefined },
      });
    },

    inboxWritten: ({ key: { pk, sk }, after, by }) => {
      if (sk.startsWith('!')) {
        const waiting = criticalOf(pk.slice('INBOX#'.length), watchOf(sk));
        if (after === undefined) waiting.delete(sk);
        else if (after.severity === 'critical') waiting.add(sk);
      }
      if (after === undefined || !sk.startsWith('+')) return;
      const [until = '', why] = sk.slice(1).split(' ');
      if (why === 'group') return met('held for a burst');
      met('held for quiet hours');
      // Alerts that edit a message wait for the held alerts of their watch.
      const watch = watchOf(sk);
      const beside = `${pk} ${until} ${watch}`;
      if (held.has(beside)) return;
      held.add(beside);
      const { tenant = '', watchlist = '' } = after as unknown as Record<string, string>;
      const span = { from: by.startedAt, to: now() };
      const isQuiet = ['info', 'warning'].some((severity) =>
        saysQuiet(pk.slice('INBOX#'.length), { tenant, watchlist, severity }, span, false),
      );
      const isLong = Date.parse(until) > now() + LONGEST;
      if (!isQuiet || isLong)
        broken('without a burst, only quiet hours hold an alert', `${pk} ${sk}`);
    },

    arrived: (destinationId, notification, by) => {
      if (!/#(tenant-)?(desk|team)$/.test(destinationId)) return;
      if (notification.kind === 'digest' && notification.heldFor === 'quiet') {
        met('quiet hours are over');
      }
      const start = begun.get(`${destinationId} ${notificationId(notification)}`);
      if (start === undefined || start.isDisturbed || by.disturbance !== undefined) return;
      // Editing an existing message makes no sound.
      if (notification.kind === 'alert' && notification.shownBy !== undefined) return;
      const alerts = notification.kind === 'alert' ? [notification.alert] : notification.alerts;
      for (const alert of alerts) {
        if (alert.severity === 'critical' || alert.kind === 'test') continue;
        // A mute releases held alerts before a critical alert of their watch, which passes quiet
        // hours.
        if (criticalOf(destinationId, watchOf(alert.id)).size > 0) continue;
        if (saysQuiet(destinationId, alert, start, true) && notification.kind === 'alert') {
          broken(
            'only critical alerts reach people in quiet hours',
            `${destinationId} got ${alert.id}`,
          );
        }
      }
    },
  };
}

/** The watch of an alert, by the alert's id or a sort key that ends with it. */
function watchOf(name: string): string {
  const [watch = ''] = (name.split('#').at(-1) ?? '').split('.');
  return watch;
}

function notificationOf(record: Item | undefined): string | undefined {
  return (record as unknown as { notification?: { id: string } } | undefined)?.notification?.id;
}

/** Whether a moment is within daily hours, which may extend past midnight. */
function isIn({ from, to }: Hours, timeZone: string, at: Instant): boolean {
  const minute = (Math.floor(at / MINUTE) + (TIME_ZONES[timeZone] ?? Number.NaN)) % DAY_MINUTES;
  const [begins, ends] = [minuteOf(from), minuteOf(to)];
  return begins < ends ? minute >= begins && minute < ends : minute >= begins || minute < ends;
}

function minuteOf(time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return hour * 60 + minute;
}
