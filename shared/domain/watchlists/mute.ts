import * as z from 'zod';
import type { Actor } from '#shared/domain/access/actor.ts';
import { Alert } from '#shared/domain/alerting/alert.ts';
import { LIMITS } from '#shared/domain/limits.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { Duration, readDuration } from '#shared/domain/market/duration.ts';
import { DAY, type Instant, readInstant } from '#shared/domain/market/instant.ts';
import { Moment } from '#shared/domain/rules/alert-rule.ts';
import { Identifier, Line } from '#shared/domain/words.ts';
import type { Rule, WatchlistId } from './watchlist.ts';

/** The longest mute. */
export const LONGEST_MUTE = LIMITS.mute.days * DAY;

/** The value of `until` for a mute that ends with an episode. */
const RECOVERED = 'recovered';

/**
 * The body of a request to mute: the end of the mute, and the alerts that it covers (all, by
 * default).
 */
export const MuteBody = z
  .strictObject({
    until: z.literal(RECOVERED).or(Moment).optional(),
    for: Duration.optional(),
    rule: Identifier.optional(),
    contract: ContractKey.optional(),
    severity: Alert.shape.severity.optional(),
    reason: Line.optional(),
  })
  .refine((body) => (body.until === undefined) !== (body.for === undefined), {
    path: ['until'],
    message: 'expected either "until" (a time or "recovered") or "for" (a duration)',
  })
  .superRefine(({ until, rule, contract, severity }, context) => {
    if (until !== RECOVERED) return;
    const expect = (member: string, message: string) =>
      context.addIssue({ code: 'custom', path: [member], message });
    if (rule === undefined)
      expect(
        'rule',
        'expected a rule: a mute with "until": "recovered" ends when that rule recovers',
      );
    if (contract === undefined)
      expect(
        'contract',
        'expected a contract: a mute with "until": "recovered" ends when the rule recovers on it',
      );
    if (severity !== undefined)
      expect('severity', 'expected no severity with "until": "recovered"');
  });
export type MuteBody = z.output<typeof MuteBody>;

/** An episode of a watch. A rule may have several watches on a contract. */
export type MutedEpisode = {
  /** The name of the watch in its list. For a no-data watch this is not the id of its rule. */
  readonly watch: string;
  /** The name of the episode, as in its alerts. */
  readonly name: string;
};

/** A time span in which alerts are held. A mute affects only sending, not the state of watches. */
export type Mute = {
  readonly id: string;
  /** Undefined if the actor was not recorded. */
  readonly by: Actor | undefined;
  readonly from: Instant;
  readonly until: Instant;
  readonly rule?: string | undefined;
  readonly contract?: ContractKey | undefined;
  readonly severity?: Alert['severity'] | undefined;
  readonly reason?: string | undefined;
  /**
   * A mute with episodes covers only their alerts, except the alert that ends an episode. The mute
   * ends when the last of the episodes ends, or at `until` if that is earlier.
   */
  readonly episodes?: readonly MutedEpisode[] | undefined;
};

/** The mutes of a list as stored in one item. Some of them may have ended. */
export type Mutes = {
  readonly list: WatchlistId;
  readonly version: number;
  readonly mutes: readonly Mute[];
};

/** Whether a requested mute ends with an episode. */
export function isUntilRecovered({ until }: Pick<MuteBody, 'until' | 'for'>): boolean {
  return until === RECOVERED;
}

/** The end of a requested mute; for a mute that ends with an episode, its latest possible end. */
export function muteEnd(body: Pick<MuteBody, 'until' | 'for'>, now: Instant): Instant | undefined {
  if (body.until === RECOVERED) return now + LONGEST_MUTE;
  if (body.until !== undefined) return readInstant(body.until);
  const span = body.for === undefined ? undefined : readDuration(body.for);
  return span === undefined ? undefined : now + span;
}

/** The mutes that have not ended. */
export function runningMutes(mutes: readonly Mute[], now: Instant): readonly Mute[] {
  return mutes.filter(({ until }) => until > now);
}

/**
 * What a mute may cover: alerts of a rule on one contract or, without a contract, an alert about
 * the whole rule, such as its expiry.
 */
export type Muteable = Pick<Rule, 'id' | 'severity'> & {
  readonly contract: ContractKey | undefined;
  /** The name of the alert's episode; undefined for the alert that ends it. */
  readonly episode: string | undefined;
};

/**
 * The active mutes that cover a rule on a contract. The severity of the current rule decides, not
 * that of each alert. A mute by severity therefore covers either all alerts of a watch or none, so
 * the alerts stay in order.
 */
export function coveringMutes(
  mutes: readonly Mute[],
  { id, severity, contract, episode }: Muteable,
  now: Instant,
): readonly Mute[] {
  return runningMutes(mutes, now)
    .filter((mute) => mute.rule === undefined || mute.rule === id)
    .filter((mute) => mute.contract === undefined || mute.contract === contract)
    .filter((mute) => mute.severity === undefined || mute.severity === severity)
    .filter(({ episodes }) => episodes?.some(({ name }) => name === episode) ?? true);
}

/**
 * The active mute that covers a rule on a contract and ends last; undefined if no mute covers it.
 */
export function longestMute(
  mutes: readonly Mute[],
  muteable: Muteable,
  now: Instant,
): Mute | undefined {
  return coveringMutes(mutes, muteable, now)
    .toSorted((one, other) => one.until - other.until)
    .at(-1);
}

/** The time until which mutes cover a rule on a contract; undefined if no active mute covers it. */
export function mutedUntil(
  mutes: readonly Mute[],
  muteable: Muteable,
  now: Instant,
): Instant | undefined {
  return longestMute(mutes, muteable, now)?.until;
}
