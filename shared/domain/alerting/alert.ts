import { createHash } from 'node:crypto';
import * as z from 'zod';

/**
 * The reason for an alert.
 * - `closed`: an open episode ended because its rule was changed, paused, removed or expired.
 * - `stale`, `fresh`: data are missing, data have returned.
 * - `acknowledged`: somebody acknowledged an episode.
 * - `escalated`: nobody acknowledged a critical episode in time.
 * - `summary`: the alerts that a mute held.
 * - `channel_off`: a channel accepts no more alerts, or its alerts are given up.
 * - `members`: collections of a list's wallet joined or left.
 * - `report`: the regular report of a list.
 * - `test`: a sample.
 */
export const AlertKind = z.enum([
  'fired',
  'worsened',
  'reminder',
  'recovered',
  'closed',
  'stale',
  'fresh',
  'acknowledged',
  'escalated',
  'summary',
  'expired',
  'channel_off',
  'members',
  'report',
  'test',
]);
export type AlertKind = z.output<typeof AlertKind>;

const TextOrNull = z.string().nullable();
const NumberOrNull = z.int().nullable();

/**
 * A fact about an alert, shown on its own line: `Was`, `61.25 ETH`. If the value contains a time in
 * UTC, `time` has that time too, so that messages can convert it to the list's time zone.
 */
export const Fact = z.strictObject({
  name: z.string(),
  value: z.string(),
  time: z.string().optional(),
});
export type Fact = z.output<typeof Fact>;

/**
 * An alert for programs and for people; part of the body of SQS and webhook messages.
 *
 * Decimals are strings, times are ISO 8601 UTC. Every member is always present, and null if it does
 * not apply.
 */
export const Alert = z.strictObject({
  id: z.string(),
  kind: AlertKind,
  tenant: z.string(),
  watchlist: z.string(),
  rule: TextOrNull,
  /** The rule's label. */
  label: TextOrNull,
  contract: TextOrNull,
  /**
   * The collection's name in the watchlist or at the data provider; for a report, the name of the
   * watchlist.
   */
  name: TextOrNull,
  metric: TextOrNull,
  when: z.enum(['below', 'above', 'outside', 'inside', 'crosses']).nullable(),
  /** The threshold that the value passed. */
  threshold: TextOrNull,
  /** Null if the window contains no trade. */
  value: TextOrNull,
  previous: TextOrNull,
  unit: TextOrNull,
  usd: TextOrNull,
  /** The time of the data. */
  dataTime: z.string(),
  /** Whether the data were evaluated late, after an outage. */
  late: z.boolean(),
  source: TextOrNull,
  /** When the alert was created. */
  at: z.string(),
  generation: NumberOrNull,
  episode: NumberOrNull,
  /** Whether the episode continues; null for alerts without an episode. */
  open: z.boolean().nullable(),
  /** The duration of the episode so far, in data time: `30m`, `36h`, `2d`. */
  duration: TextOrNull,
  /** The value furthest past the threshold in a recovered episode; null if unknown. */
  extreme: TextOrNull,
  severity: z.enum(['info', 'warning', 'critical']),
  /** The event in one line, for people. */
  title: z.string(),
  facts: z.array(Fact),
});
export type Alert = z.output<typeof Alert>;

/** The members that are null in an alert that is not about a price. */
export const NO_PRICE = {
  rule: null,
  label: null,
  contract: null,
  name: null,
  metric: null,
  when: null,
  threshold: null,
  value: null,
  previous: null,
  unit: null,
  usd: null,
  late: false,
  source: null,
  generation: null,
  episode: null,
  open: null,
  duration: null,
  extreme: null,
} as const;

/** An alert about a rule, so the members that describe the rule are not null. */
export const RuleAlert = z.lazy(() =>
  z.strictObject({
    ...Alert.shape,
    rule: Alert.shape.rule.unwrap(),
    metric: Alert.shape.metric.unwrap(),
    when: Alert.shape.when.unwrap(),
    threshold: Alert.shape.threshold.unwrap(),
    unit: Alert.shape.unit.unwrap(),
    generation: Alert.shape.generation.unwrap(),
  }),
);
export type RuleAlert = z.output<typeof RuleAlert>;

/** The prefix of an alert's id, which identifies its watch. */
export function watchOf({ id }: Pick<Alert, 'id'>): string {
  return id.slice(0, Math.max(0, id.indexOf('.')));
}

/** The key of an alert: its list, its creation time and its id. */
export type AlertKey = Pick<Alert, 'tenant' | 'watchlist' | 'at' | 'id'>;

/** The sort key of an alert: its time, then its number in the watch. */
export function alertSortKey({ at, id }: Pick<Alert, 'at' | 'id'>): string {
  const [, number = ''] = /\.(\d{1,9})$/.exec(id) ?? [];
  return `${at}#${number.padStart(6, '0')}#${id}`;
}

/** Sorts alerts by time, oldest first. */
export function byPlace(one: Pick<Alert, 'at' | 'id'>, other: Pick<Alert, 'at' | 'id'>): number {
  return alertSortKey(one) < alertSortKey(other) ? -1 : 1;
}

/** Identifies an alert in API paths. */
export function alertName({ at, id }: Pick<Alert, 'at' | 'id'>): string {
  return `${at}~${id}`;
}

/** The creation time and the id of an alert, from its sort key. */
export function alertAt(place: string): Pick<Alert, 'at' | 'id'> {
  const [at = '', _number, id = ''] = place.split('#');
  return { at, id };
}

/**
 * The id of an alert, which is unique to one transition. Repeated evaluations return the same id.
 */
export function alertId(
  about: {
    readonly tenant: string;
    readonly list: string;
    readonly rule: string;
    readonly contract: string | null;
  },
  generation: number,
  n: number | string,
): string {
  const identity = JSON.stringify([about.tenant, about.list, about.rule, about.contract]);
  const hash = createHash('sha256').update(identity).digest('hex').slice(0, 20);
  return `${hash}.${generation}.${n}`;
}
