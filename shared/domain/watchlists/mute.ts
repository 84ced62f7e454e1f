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

/** The request of a mute: its end, and the alerts that it covers (all, by default). */
export const MuteBody = z
  .strictObject({
    until: Moment.optional(),
    for: Duration.optional(),
    rule: Identifier.optional(),
    contract: ContractKey.optional(),
    severity: Alert.shape.severity.optional(),
    reason: Line.optional(),
  })
  .refine((body) => (body.until === undefined) !== (body.for === undefined), {
    path: ['until'],
    message: 'expected either "until", a moment, or "for", a span of time',
  });
export type MuteBody = z.output<typeof MuteBody>;

/** A span of time in which alerts are held back. It acts on sending, never on states. */
export type Mute = {
  readonly id: string;
  /** Undefined where it was not recorded. */
  readonly by: Actor | undefined;
  readonly from: Instant;
  readonly until: Instant;
  readonly rule?: string | undefined;
  readonly contract?: ContractKey | undefined;
  readonly severity?: Alert['severity'] | undefined;
  readonly reason?: string | undefined;
};

/** The mutes of a list as they are kept: one item. Those that have ended may still be among them. */
export type Mutes = {
  readonly list: WatchlistId;
  readonly version: number;
  readonly mutes: readonly Mute[];
};

/** The end of a requested mute. */
export function endOf(body: MuteBody, now: Instant): Instant | undefined {
  if (body.until !== undefined) return readInstant(body.until);
  const span = body.for === undefined ? undefined : readDuration(body.for);
  return span === undefined ? undefined : now + span;
}

/** The mutes that have not ended. */
export function runningMutes(mutes: readonly Mute[], now: Instant): readonly Mute[] {
  return mutes.filter(({ until }) => until > now);
}

/** A rule on one of its contracts; without a contract what is of all of them, such as its end. */
export type Muteable = Pick<Rule, 'id' | 'severity'> & {
  readonly contract: ContractKey | undefined;
};

/**
 * The running mutes that cover a rule on a contract. What counts is what the rule says now, so all
 * alerts of a watch are covered, or none, and keep their order.
 */
export function coveringMutes(
  mutes: readonly Mute[],
  { id, severity, contract }: Muteable,
  now: Instant,
): readonly Mute[] {
  return runningMutes(mutes, now)
    .filter((mute) => mute.rule === undefined || mute.rule === id)
    .filter((mute) => mute.contract === undefined || mute.contract === contract)
    .filter((mute) => mute.severity === undefined || mute.severity === severity);
}

/** Until when mutes cover a rule on a contract; undefined when none does. */
export function mutedUntil(
  mutes: readonly Mute[],
  muteable: Muteable,
  now: Instant,
): Instant | undefined {
  const ends = coveringMutes(mutes, muteable, now).map(({ until }) => until);
  return ends.length === 0 ? undefined : Math.max(...ends);
}
