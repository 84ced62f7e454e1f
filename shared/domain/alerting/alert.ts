import { createHash } from 'node:crypto';
import * as z from 'zod';

/**
 * The reason of an alert. `closed` ends an open episode whose rule is changed, paused, removed or
 * expired. `stale` and `fresh`: data stopped and came back. `acknowledged`: somebody takes care of an
 * episode. `escalated`: nobody has acknowledged a critical one in time. `summary`: the alerts that a mute held back. `channel_off`: a channel accepts no more, or its alerts are given up. `members`: collections
 * of a list's wallet have joined or left. `report`: how a list did. `test`: a sample.
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
 * One thing that a person may want to know, on a line of its own: `Was`, `61.25 ETH`. Where its value
 * names a moment, in UTC, that stands beside it: people read it in their list's time zone.
 */
export const Fact = z.strictObject({
  name: z.string(),
  value: z.string(),
  time: z.string().optional(),
});
export type Fact = z.output<typeof Fact>;

/**
 * A message that a person should get, as programs read it; the body of SQS and webhook messages.
 *
 * Decimals are strings, times are ISO 8601 UTC. Every member is always present; one that does not
 * apply is null.
 */
export const Alert = z.strictObject({
  id: z.string(),
  kind: AlertKind,
  tenant: z.string(),
  watchlist: z.string(),
  rule: TextOrNull,
  /** What its owner calls the rule. */
  label: TextOrNull,
  contract: TextOrNull,
  /**
   * The collection's name in the watchlist, or else at the data provider, as far as it is known; of a
   * report the name of the watchlist.
   */
  name: TextOrNull,
  metric: TextOrNull,
  when: z.enum(['below', 'above', 'outside', 'inside', 'crosses']).nullable(),
  /** The line, or the edge of the band, that the value has passed. */
  threshold: TextOrNull,
  /** Null where no trade is left in the window. */
  value: TextOrNull,
  previous: TextOrNull,
  unit: TextOrNull,
  usd: TextOrNull,
  /** The moment the data are of. */
  dataTime: z.string(),
  /** Whether the data are older than they should be: evaluated only after an outage. */
  late: z.boolean(),
  source: TextOrNull,
  /** The moment floorwatch saw it. */
  at: z.string(),
  generation: NumberOrNull,
  episode: NumberOrNull,
  /** Whether what it reports lasts; null where nothing does. */
  open: z.boolean().nullable(),
  /** Of the episode so far, by data time: `30m`, `36h`, `2d`. */
  duration: TextOrNull,
  /** The value furthest beyond the threshold in a recovered episode; null where it is not known. */
  extreme: TextOrNull,
  severity: z.enum(['info', 'warning', 'critical']),
  /** What happened in one line, and what that means, for people. */
  title: z.string(),
  facts: z.array(Fact),
});
export type Alert = z.output<typeof Alert>;

/** What does not apply to an alert that is about no price. */
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

/** An alert about a rule, and so with all that a rule has. */
export const RuleAlert = z.strictObject({
  ...Alert.shape,
  rule: Alert.shape.rule.unwrap(),
  metric: Alert.shape.metric.unwrap(),
  when: Alert.shape.when.unwrap(),
  threshold: Alert.shape.threshold.unwrap(),
  unit: Alert.shape.unit.unwrap(),
  generation: Alert.shape.generation.unwrap(),
});
export type RuleAlert = z.output<typeof RuleAlert>;

/** What the id of an alert begins with: the same for all alerts of a watch, and for no others. */
export function watchOf({ id }: Pick<Alert, 'id'>): string {
  return id.slice(0, Math.max(0, id.indexOf('.')));
}

/** An alert's place: its list, the moment it was made, and its id. */
export type AlertKey = Pick<Alert, 'tenant' | 'watchlist' | 'at' | 'id'>;

/**
 * Where an alert stands among others: by its moment and, of one moment, by its number in its watch.
 * Places sort as texts.
 */
export function placeOf({ at, id }: Pick<Alert, 'at' | 'id'>): string {
  const [, number = ''] = /\.(\d{1,9})$/.exec(id) ?? [];
  return `${at}#${number.padStart(6, '0')}#${id}`;
}

/** Sorts alerts by their places, oldest first. */
export function byPlace(one: Pick<Alert, 'at' | 'id'>, other: Pick<Alert, 'at' | 'id'>): number {
  return placeOf(one) < placeOf(other) ? -1 : 1;
}

/** What an alert is called in paths. */
export function alertName({ at, id }: Pick<Alert, 'at' | 'id'>): string {
  return `${at}~${id}`;
}

/** The alert that stands at a place. */
export function alertAt(place: string): Pick<Alert, 'at' | 'id'> {
  const [at = '', _number, id = ''] = place.split('#');
  return { at, id };
}

/**
 * The id of an alert: the same for the same transition however often it is worked out, and never
 * used for another.
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
