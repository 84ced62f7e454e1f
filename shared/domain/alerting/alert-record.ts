import { Sink } from '#shared/domain/channels/sink.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { type Alert, type AlertKey, placeOf } from './alert.ts';

/** What came of sending an alert to a sink; `accepted` is what a topic says, nobody can say "read". */
export type Outcome = {
  readonly state: 'accepted' | 'sent' | 'failed';
  readonly at: Instant;
  readonly reason?: string | undefined;
};

export type Delivery = { readonly state: 'pending' } | Outcome;

/** An alert as it is kept: the message, and for each sink that must get it how far it has come. */
export type AlertRecord = {
  readonly version: number;
  readonly alert: Alert;
  /** Since when it is on its way: what a mute has held is older by then. */
  readonly postedAt: Instant;
  readonly deliveries: Readonly<Partial<Record<Sink, Delivery>>>;
};

/** An alert in the inbox of a sink, where it waits to be sent. */
export type InboxEntry = { readonly sink: Sink; readonly alert: AlertKey };

/** An entry's name in its inbox: by the moment of the alert, oldest first. */
export function entryName({ alert }: InboxEntry): string {
  return placeOf(alert);
}

/** A new alert, on its way to its sinks. */
export function newAlertRecord(
  alert: Alert,
  sinks: readonly Sink[],
  postedAt: Instant = Date.parse(alert.at),
): AlertRecord {
  const pending: Delivery = { state: 'pending' };
  return {
    version: 0,
    alert,
    postedAt,
    deliveries: Object.fromEntries(sinks.map((sink) => [sink, pending])),
  };
}

/** The sinks that have not got it yet. */
export function pendingSinks({ deliveries }: AlertRecord): readonly Sink[] {
  return Object.entries(deliveries).flatMap(([sink, delivery]) =>
    delivery?.state === 'pending' ? [Sink.parse(sink)] : [],
  );
}

/** Whether a sink has yet to get it. */
export function isPending({ deliveries }: AlertRecord, sink: Sink): boolean {
  return deliveries[sink]?.state === 'pending';
}

/** Notes what came of a sink; there is nothing more to do for it. */
export function settled(record: AlertRecord, sink: Sink, outcome: Outcome): AlertRecord {
  return { ...record, deliveries: { ...record.deliveries, [sink]: outcome } };
}
