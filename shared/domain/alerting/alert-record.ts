import { HOUR, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type { Alert } from './alert.ts';

/** Who gets an alert: the stack's own topic and Slack, and the topic of its watchlist. */
export type Sink = 'stack-topic' | 'stack-slack' | 'list-topic';

/** What came of sending an alert to a sink. */
export type Delivery = {
  /** `accepted` is what a topic says; `sent` what a chat says; nobody can say "read". */
  readonly state: 'accepted' | 'sent' | 'failed';
  readonly at: Instant;
  readonly reason?: string;
};

/** An alert as it is kept: the message, who still has to get it, and what came of the others. */
export type AlertRecord = {
  readonly version: number;
  readonly alert: Alert;
  readonly unsent: readonly Sink[];
  readonly deliveries: Readonly<Partial<Record<Sink, Delivery>>>;
  /** Attempts of the sinks in `unsent` that failed. */
  readonly attempts: Readonly<Partial<Record<Sink, number>>>;
  /** When the dispatcher sends the sinks again, while any is in `unsent`. */
  readonly dueAt?: Instant;
};

/** After this the dispatcher sends the list's actor again, should its first try come to nothing. */
const PATIENCE = 2 * MINUTE;

/** A new alert, on its way to its sinks. */
export function newAlertRecord(alert: Alert, unsent: readonly Sink[], now: Instant): AlertRecord {
  return { version: 0, alert, unsent, deliveries: {}, attempts: {}, dueAt: now + PATIENCE };
}

/** After this long without success a sink is given up, and the alert says so. */
const GIVEN_UP_AFTER = 24 * HOUR;
const LONGEST_PAUSE_MINUTES = 60;

/** Notes what came of a sink, and that it needs nothing more. */
export function delivered(record: AlertRecord, sink: Sink, delivery: Delivery): AlertRecord {
  const unsent = record.unsent.filter((other) => other !== sink);
  const { dueAt, ...rest } = record;
  return {
    ...rest,
    unsent,
    deliveries: { ...record.deliveries, [sink]: delivery },
    ...(dueAt === undefined || unsent.length === 0 ? {} : { dueAt }),
  };
}

/** Notes that a sink did not take an alert: it is tried again later, or after a day given up. */
export function undelivered(
  record: AlertRecord,
  sink: Sink,
  reason: string,
  now: Instant,
  retryAt?: Instant,
): AlertRecord {
  if (now - Date.parse(record.alert.at) > GIVEN_UP_AFTER) {
    return delivered(record, sink, { state: 'failed', at: now, reason });
  }
  const attempts = (record.attempts[sink] ?? 0) + 1;
  const pauseMinutes = Math.min(2 ** (attempts - 1), LONGEST_PAUSE_MINUTES);
  return {
    ...record,
    attempts: { ...record.attempts, [sink]: attempts },
    dueAt: Math.max(now + pauseMinutes * MINUTE, retryAt ?? 0),
  };
}
