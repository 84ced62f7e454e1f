import { isDeepStrictEqual } from 'node:util';
import type { RuleAlert } from '#shared/domain/alerting/alert.ts';
import type { Closing } from '#shared/domain/evaluation/cause.ts';
import { close } from '#shared/domain/evaluation/law.ts';
import { emptied, posted } from '#shared/domain/evaluation/outbox.ts';
import {
  isEpisodeOpen,
  isGoing,
  noDataWatchName,
  PATIENCE_AFTER_END,
  partsOfWatch,
  type Watch,
} from '#shared/domain/evaluation/watch.ts';
import { type ContractKey, contractOf } from '#shared/domain/market/contract.ts';
import { type Instant, readInstant } from '#shared/domain/market/instant.ts';
import { isClock } from '#shared/domain/metrics/metric.ts';
import {
  noDataWatchesOf,
  type RepeatPolicy,
  type RuleCondition,
  repeatPolicyOf,
  ruleConditionOf,
} from '#shared/domain/rules/alert-rule.ts';
import {
  generationOf,
  type Member,
  noDataGeneration,
  type Rule,
  rulesOn,
  type Watchlist,
} from './watchlist.ts';

/**
 * What has to be done to a list's watches on one contract, so that they agree with its document.
 */
export type WatchChange =
  | { readonly kind: 'put'; readonly watch: Watch }
  | { readonly kind: 'delete'; readonly watch: Watch };

/**
 * Brings a list's watches on a contract in line with its document. A watch of the same generation
 * keeps its state; any other begins anew, and waits for an answer asked for after `now`. What a
 * watch has said after `changedAt`, of a rule that was no more by then, is not sent.
 */
export function applyList(
  list: Watchlist,
  contract: ContractKey,
  existing: readonly Watch[],
  now: Instant,
  changedAt = Number.POSITIVE_INFINITY,
): readonly WatchChange[] {
  const member = list.members.find((other) => other.contract === contract);
  const wanted = member === undefined ? [] : watchesWanted(list, member);
  const gone = existing.filter((watch) => !wanted.some(({ name }) => name === watch.rule));
  const removed = gone.flatMap((watch) => removal(watch, list, now, changedAt));
  const changes = wanted.flatMap((one): WatchChange[] => {
    const old = existing.find((watch) => watch.rule === one.name);
    const watch = desiredWatch(list, one, old, now, changedAt);
    return old !== undefined && sameWatch(old, watch) ? [] : [{ kind: 'put', watch }];
  });
  return [...removed, ...changes];
}

/** An unwanted watch stays until its outbox is empty. */
function removal(
  watch: Watch,
  { deleted }: Watchlist,
  now: Instant,
  changedAt: Instant,
): readonly WatchChange[] {
  const closed = withClosed(saidUntil(watch, changedAt), 'removed', now);
  if (closed.outbox.length === 0) return [{ kind: 'delete', watch }];
  if (watch.admin === 'removed' && !(deleted && isMuted(watch))) return [];
  // A deleted list has no mutes.
  const outboxDueAt = deleted && isMuted(watch) ? { outboxDueAt: now } : {};
  return [{ kind: 'put', watch: { ...closed, admin: 'removed', ...outboxDueAt } }];
}

function isMuted({ folded }: Watch): boolean {
  return folded?.muted === true;
}

/** Whether a list's document asks for a watch as it was begun. */
export function isWanted(
  list: Watchlist,
  { contract, rule, generation }: Pick<Watch, 'contract' | 'rule' | 'generation'>,
): boolean {
  const member = list.members.find((other) => other.contract === contract);
  const wanted = member === undefined ? [] : watchesWanted(list, member);
  return wanted.some((one) => one.name === rule && one.generation === generation);
}

/**
 * The watches that a change of a list begins, and how many it ends; those that go on are neither.
 */
export function watchesBetween(
  before: Watchlist | undefined,
  after: Watchlist,
  now: Instant,
): { readonly begun: readonly Watch[]; readonly ended: number } {
  const wantedIn = (list: Watchlist | undefined) =>
    new Map(
      list?.members
        .flatMap((member) => watchesWanted(list, member))
        .map((one) => [`${one.member.contract} ${one.name} ${one.generation}`, one]),
    );
  const [old, young] = [wantedIn(before), wantedIn(after)];
  return {
    begun: [...young].flatMap(([key, one]) =>
      old.has(key) ? [] : [desiredWatch(after, one, undefined, now, now)],
    ),
    ended: [...old.keys()].filter((key) => !young.has(key)).length,
  };
}

/** A watch that a list asks for: a rule on one of its members, or what speaks of missing data. */
type Wanted = {
  readonly name: string;
  readonly rule: Rule;
  readonly member: Member;
  readonly generation: number;
  readonly ruleCondition: RuleCondition;
  readonly repeatPolicy: RepeatPolicy;
};

function watchesWanted(list: Watchlist, member: Member): readonly Wanted[] {
  return rulesOn(list, member.contract).flatMap((rule): Wanted[] => [
    {
      name: rule.id,
      rule,
      member,
      generation: generationOf(rule, member),
      ruleCondition: ruleConditionOf(rule, contractOf(member.contract).chain),
      repeatPolicy: repeatPolicyOf(rule),
    },
    ...noDataWatchesOf(rule).map(({ part, ruleCondition }) => ({
      name: noDataWatchName(rule.id, part),
      rule,
      member,
      generation: noDataGeneration(rule, member) ?? generationOf(rule, member),
      ruleCondition,
      repeatPolicy: { repeat: 'every' as const },
    })),
  ]);
}

function desiredWatch(
  list: Watchlist,
  { name, rule, member, generation, ruleCondition, repeatPolicy }: Wanted,
  old: Watch | undefined,
  now: Instant,
  changedAt: Instant,
): Watch {
  const expiresAt = rule.expiresAt === undefined ? undefined : readInstant(rule.expiresAt);
  const goesOn = old?.generation === generation && old.admin !== 'removed';
  const admin = adminOf(rule, expiresAt, goesOn ? old : undefined, now);
  const { expiresAt: _old, ...kept }: Watch | NewWatch = goesOn
    ? resumed(
        lookedAtAgain(shownAgain(reminded(old, repeatPolicy, now), rule, now), ruleCondition, now),
        admin,
        now,
      )
    : {
        tenant: list.tenant,
        list: list.id,
        rule: name,
        contract: member.contract,
        version: old?.version ?? 0,
        generation,
        since: now,
        state: 'unknown' as const,
        evaluatedSeq: 0,
        episode: 0,
        alerts: 0,
        ...leftBy(old && saidUntil(old, changedAt), rule.enabled ? 'changed' : 'paused', now),
      };
  return {
    ...kept,
    repeatPolicy,
    ruleCondition,
    presentation: {
      ...(rule.label === undefined ? {} : { label: rule.label }),
      ...(member.name === undefined ? {} : { name: member.name }),
      severity: rule.severity,
      ...(rule.notify === undefined ? {} : { notify: rule.notify }),
      notifyRecovery: rule.notifyRecovery,
    },
    admin,
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}

/**
 * A watch without the alerts that it made after its rule was changed: after a lost message a change
 * may take effect late. The alert that closes a sent episode stays.
 */
function saidUntil(watch: Watch, changedAt: Instant): Watch {
  const { outbox, episode, generation, admin } = watch;
  if (admin === 'removed') return watch;
  const own = outbox.filter((alert) => alert.generation === generation);
  const late = own.filter(({ at, kind }) => kind !== 'closed' && Date.parse(at) > changedAt);
  const begun = late.flatMap((alert) => (BEGINNINGS.has(alert.kind) ? [alert.episode] : []));
  const isUnsent = (alert: RuleAlert) =>
    late.includes(alert) || (alert.kind === 'closed' && begun.includes(alert.episode));
  // What another generation has left is of other episodes, though they have the same numbers.
  const unsent = new Set(own.filter(isUnsent));
  const sent = { ...watch, outbox: outbox.filter((alert) => !unsent.has(alert)) };
  const { noValueSince, ...kept } = sent.outbox.length === 0 ? emptied(watch) : sent;
  const isNoValueSent = noValueSince !== undefined && !late.some(({ kind }) => kind === 'stale');
  if (isNoValueSent) return { ...kept, noValueSince };
  return begun.includes(episode) ? { ...kept, state: 'ok' } : kept;
}

const BEGINNINGS: ReadonlySet<string> = new Set(['fired', 'stale']);

/** The outbox of the former watch, with its episode closed. */
function leftBy(
  old: Watch | undefined,
  why: 'changed' | 'paused',
  now: Instant,
): Pick<Watch, 'outbox' | 'outboxDueAt' | 'folded'> {
  if (old === undefined) return { outbox: [] };
  const { outbox, outboxDueAt, folded } = withClosed(old, why, now);
  return {
    outbox,
    ...(outboxDueAt === undefined ? {} : { outboxDueAt }),
    ...(folded === undefined ? {} : { folded }),
  };
}

type NewWatch = Omit<Watch, 'ruleCondition' | 'repeatPolicy' | 'presentation' | 'admin'>;

/** The watch with its episode closed, and the alert of that in its outbox. */
function withClosed(watch: Watch, why: Closing, now: Instant, time: Instant = now): Watch {
  const { watch: closed, alerts } = close(watch, why, { time, now });
  return alerts.reduce((posting, alert) => posted(posting, alert, now), closed);
}

/** A reminder changed in an open episode starts from now. */
function reminded(old: Watch, { reminder }: RepeatPolicy, now: Instant): Watch {
  return reminder === old.repeatPolicy.reminder || old.state !== 'firing'
    ? old
    : { ...old, remindedAt: now };
}

/** A mute of one severity no longer covers a rule of another: the outbox is processed again. */
function shownAgain(old: Watch, { severity }: Rule, now: Instant): Watch {
  return old.folded === undefined || old.presentation.severity === severity
    ? old
    : { ...old, outboxDueAt: now };
}

function lookedAtAgain(old: Watch, ruleCondition: RuleCondition, now: Instant): Watch {
  return isDeepStrictEqual(old.ruleCondition, ruleCondition)
    ? old
    : { ...old, ...edited(old, now) };
}

/** A watch moved by the clock may get no observation, so an edit of its threshold is marked. */
function edited({ ruleCondition }: Watch, now: Instant): Pick<Watch, 'editedAt'> {
  return isClock(ruleCondition.metric) ? { editedAt: now } : {};
}

/**
 * A rule that gets another end after it has ended starts again: it was not watched in between. A
 * watch ends by itself with an answer from its end; without one it ends a day later.
 */
function resumed(old: Watch, admin: Watch['admin'], now: Instant): Watch {
  if (admin === 'expired' && old.admin === 'enabled') {
    return withClosed(old, 'expired', now, old.expiresAt);
  }
  if (admin !== 'enabled' || !hasMissedNews(old, now)) return old;
  const { countsFrom: _c, stateSince: _s, ring: _r, position: _p, ...kept } = old;
  const { unmet: _u, firedAt: _f, lastReported: _l, remindedAt: _m, ...rest } = kept;
  const state = old.state === 'ended' ? 'ended' : 'unknown';
  return { ...rest, state, since: now, evaluatedSeq: 0, ...edited(old, now) };
}

/**
 * Whether a watch has ended, or has skipped observations since its end: a watch of several parts
 * waits there for the answer of another part. An open episode continues.
 */
function hasMissedNews(old: Watch, now: Instant): boolean {
  if (old.admin === 'expired') return true;
  const isPast = old.expiresAt !== undefined && old.expiresAt <= now;
  return isPast && partsOfWatch(old).length > 1 && !isEpisodeOpen(old);
}

function adminOf(
  { enabled }: Rule,
  expiresAt: Instant | undefined,
  before: Watch | undefined,
  now: Instant,
): Watch['admin'] {
  if (!enabled) return 'paused';
  const isEnding =
    before !== undefined &&
    isGoing(before) &&
    expiresAt !== undefined &&
    now < expiresAt + PATIENCE_AFTER_END;
  return expiresAt === undefined || expiresAt > now || isEnding ? 'enabled' : 'expired';
}

function sameWatch(left: Watch, right: Watch): boolean {
  return (
    left.generation === right.generation &&
    left.admin === right.admin &&
    left.expiresAt === right.expiresAt &&
    isDeepStrictEqual(left.repeatPolicy, right.repeatPolicy) &&
    isDeepStrictEqual(left.ruleCondition, right.ruleCondition) &&
    isDeepStrictEqual(left.presentation, right.presentation)
  );
}
