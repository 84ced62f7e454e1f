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
  /** The sinks that have not got it, each with when it is tried again. */
  readonly unsent: Readonly<Partial<Record<Sink, Attempts>>>;
  readonly deliveries: Readonly<Partial<Record<Sink, Delivery>>>;
};

type Attempts = {
  /** Tries that came to nothing. */
  readonly failed: number;
  readonly nextAt: Instant;
};

export const SINKS: readonly Sink[] = ['stack-topic', 'stack-slack', 'list-topic'];

/** After this the dispatcher sends the list's actor again, should its first try come to nothing. */
const PATIENCE = 2 * MINUTE;
/** After this long without success a sink is given up, and the alert says so. */
const GIVEN_UP_AFTER = 24 * HOUR;
const LONGEST_PAUSE_MINUTES = 60;

/** A new alert, on its way to its sinks. */
export function newAlertRecord(alert: Alert, sinks: readonly Sink[], now: Instant): AlertRecord {
  const waiting: Attempts = { failed: 0, nextAt: now + PATIENCE };
  const unsent = Object.fromEntries(sinks.map((sink) => [sink, waiting]));
  return { version: 0, alert, unsent, deliveries: {} };
}

/** The sinks that are to be tried now: those never tried, and those whose time has come. */
export function sinksDue({ unsent }: AlertRecord, now: Instant): readonly Sink[] {
  return SINKS.filter((sink) => {
    const attempts = unsent[sink];
    return attempts !== undefined && (attempts.failed === 0 || attempts.nextAt <= now);
  });
}

/** When the first of the waiting sinks is tried again; undefined when none waits. */
export function nextTryAt({ unsent }: AlertRecord): Instant | undefined {
  const instants = Object.values(unsent).map(({ nextAt }) => nextAt);
  return instants.length === 0 ? undefined : Math.min(...instants);
}

/** Notes what came of a sink, and that it needs nothing more. */
export function delivered(record: AlertRecord, sink: Sink, delivery: Delivery): AlertRecord {
  const { [sink]: _done, ...unsent } = record.unsent;
  return { ...record, unsent, deliveries: { ...record.deliveries, [sink]: delivery } };
}

/**
 * Notes that a sink has not taken an alert yet: it is tried again later, by its own clock, and
 * given up after a day.
 */
export function undelivered(
  record: AlertRecord,
  sink: Sink,
  reason: string,
  now: Instant,
  retryAt: Instant = now,
): AlertRecord {
  const givenUpAt = Date.parse(record.alert.at) + GIVEN_UP_AFTER;
  if (now > givenUpAt) return delivered(record, sink, { state: 'failed', at: now, reason });
  const failed = (record.unsent[sink]?.failed ?? 0) + 1;
  const pauseMinutes = Math.min(2 ** (failed - 1), LONGEST_PAUSE_MINUTES);
  const asked = Math.min(retryAt, Math.max(givenUpAt, now));
  const nextAt = Math.max(now + pauseMinutes * MINUTE, asked);
  return { ...record, unsent: { ...record.unsent, [sink]: { failed, nextAt } } };
}
