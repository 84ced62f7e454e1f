import type { Instant } from '#shared/domain/market/instant.ts';
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
