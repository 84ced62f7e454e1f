import { isDeepStrictEqual } from 'node:util';
import type { RuleAlert } from '#shared/domain/alerting/alert.ts';
import { defined } from '#shared/domain/defined.ts';
import { close, type Next } from '#shared/domain/evaluation/law.ts';
import {
  isEpisodeOpen,
  isGoing,
  noDataWatchName,
  seriesOfWatch,
  sourceWatchName,
  type Watch,
} from '#shared/domain/evaluation/watch.ts';
import { type ContractKey, contractOf } from '#shared/domain/market/contract.ts';
import { comparedIn } from '#shared/domain/market/derived-key.ts';
import { type Instant, readInstant } from '#shared/domain/market/instant.ts';
import { isClock } from '#shared/domain/metrics/metric.ts';
import { omit } from '#shared/domain/omit.ts';
import { GRACE_PERIOD_AFTER_END } from '#shared/domain/polling/contract-record.ts';
import {
  noDataWatchesOf,
  type RepeatPolicy,
  type RuleCondition,
  repeatPolicyOf,
  ruleConditionOf,
  sourceConditionOf,
} from '#shared/domain/rules/alert-rule.ts';
import { holdingOf } from './holding.ts';
import { tokensHeld, watchedMembers } from './value-member.ts';
import {
  generationOf,
  type Member,
  noDataGeneration,
  type Rule,
  rulesOn,
  type Watchlist,
} from './watchlist.ts';

/**
 * A change of one watch that a change of its list requires, with the alerts that close an open
 * episode. `old` is the watch before the change.
 */
export type WatchChange = {
  readonly kind: 'put' | 'delete';
  readonly watch: Watch;
  readonly old: Watch | undefined;
  readonly alerts: readonly RuleAlert[];
};

/**
 * The changes that bring a list's watches on a contract in line with the list's document. A watch
 * of the same generation keeps its state. Any other watch restarts, and then waits for an answer
 * that is requested after `now`.
 */
export function applyList(
  list: Watchlist,
  contract: ContractKey,
  existing: readonly Watch[],
  now: Instant,
): readonly WatchChange[] {
  const member = watchedMembers(list).find((other) => other.contract === contract);
  const wanted = member === undefined ? [] : watchesWanted(list, member);
  const gone = existing.filter((watch) => !wanted.some(({ name }) => name === watch.rule));
  const removed = gone.map((watch): WatchChange => {
    const { alerts } = close(watch, 'removed', { time: now, now });
    return { kind: 'delete', watch, old: watch, alerts };
  });
  const changes = wanted.flatMap((one): WatchChange[] => {
    const old = existing.find((watch) => watch.rule === one.name);
    const { watch, alerts } = desiredWatch(list, one, old, now);
    return old !== undefined && sameWatch(old, watch) ? [] : [{ kind: 'put', watch, old, alerts }];
  });
  return [...removed, ...changes];
}

/** Whether the list still needs a watch of this generation. */
export function isListed(
  list: Watchlist,
  { contract, rule, generation }: Pick<Watch, 'contract' | 'rule' | 'generation'>,
): boolean {
  const member = watchedMembers(list).find((other) => other.contract === contract);
  const wanted = member === undefined ? [] : watchesWanted(list, member);
  return wanted.some((one) => one.name === rule && one.generation === generation);
}

/**
 * The watches that a change of a list begins, and the number of watches that it ends. Watches that
 * continue are not counted.
 */
export function watchesBetween(
  before: Watchlist | undefined,
  after: Watchlist,
  now: Instant,
): { readonly begun: readonly Watch[]; readonly ended: number } {
  const wantedIn = (list: Watchlist | undefined) =>
    new Map(
      list &&
        watchedMembers(list)
          .flatMap((member) => watchesWanted(list, member))
          .map((one) => [`${one.member.contract} ${one.name} ${one.generation}`, one]),
    );
  const [old, young] = [wantedIn(before), wantedIn(after)];
  return {
    begun: [...young].flatMap(([key, one]) =>
      old.has(key) ? [] : [desiredWatch(after, one, undefined, now).watch],
    ),
    ended: [...old.keys()].filter((key) => !young.has(key)).length,
  };
}

/**
 * A watch that a list needs: a rule's own watch on a member, a no-data watch, or a source watch.
 */
type Wanted = {
  readonly name: string;
  readonly rule: Rule;
  readonly member: Member;
  readonly generation: number;
  readonly ruleCondition: RuleCondition;
  readonly repeatPolicy: RepeatPolicy;
};

function watchesWanted(list: Watchlist, member: Member): readonly Wanted[] {
  return [...watchesOfRules(list, member), ...sourceWatches(list, member)];
}

/**
 * One source watch for each rule on a ratio or list value that is computed with the member's floor.
 * Source watches cause polls of this floor.
 */
function sourceWatches(list: Watchlist, member: Member): readonly Wanted[] {
  const ratios = list.members.filter(({ contract }) =>
    comparedIn(contract).includes(member.contract),
  );
  const isHeld = tokensHeld(list).some(({ contract }) => contract === member.contract);
  const derived = [...ratios, ...(isHeld && list.value !== undefined ? [list.value] : [])];
  const ofRules = derived.flatMap(({ contract }) =>
    rulesOn(list, contract).map((rule): Wanted => {
      return {
        name: sourceWatchName(rule.id),
        rule,
        member,
        generation: generationOf(rule, member),
        ruleCondition: sourceConditionOf(rule, contractOf(member.contract).chain),
        // Source watches report no missing values, because the watches of the derived contracts do.
        repeatPolicy: { repeat: 'every', hasNoDataWatches: true },
      };
    }),
  );
  return [...new Map(ofRules.map((wanted) => [wanted.name, wanted])).values()];
}

function watchesOfRules(list: Watchlist, member: Member): readonly Wanted[] {
  return rulesOn(list, member.contract).flatMap((rule): Wanted[] => [
    {
      name: rule.id,
      rule,
      member,
      generation: generationOf(rule, member),
      ruleCondition: ruleConditionOf(rule, contractOf(member.contract).chain, holdingOf(member)),
      repeatPolicy: repeatPolicyOf(rule),
    },
    ...noDataWatchesOf(rule).map(({ series, ruleCondition }) => ({
      name: noDataWatchName(rule.id, series),
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
): Next {
  const expiresAt = rule.expiresAt === undefined ? undefined : readInstant(rule.expiresAt);
  const goesOn = old?.generation === generation;
  const admin = adminOf(rule, expiresAt, goesOn ? old : undefined, now);
  const begun: NewWatch = {
    ...{ tenant: list.tenant, list: list.id, rule: name, contract: member.contract },
    version: old?.version ?? 0,
    ...{ generation, since: now, state: 'unknown' as const, evaluatedSeq: 0 },
    ...{ episode: 0, alerts: 0 },
  };
  const closed: readonly RuleAlert[] =
    old === undefined || goesOn
      ? []
      : close(old, rule.enabled ? 'changed' : 'paused', { time: now, now }).alerts;
  const next: { watch: Watch | NewWatch; alerts: readonly RuleAlert[] } = goesOn
    ? resumed(lookedAtAgain(reminded(old, repeatPolicy, now), ruleCondition, now), admin, now)
    : { watch: begun, alerts: closed };
  const kept = omit(next.watch, 'expiresAt');
  const watch: Watch = {
    ...kept,
    repeatPolicy,
    ruleCondition,
    presentation: {
      ...defined({ label: rule.label, name: member.name }),
      severity: rule.severity,
      ...defined({ notify: rule.notify }),
      notifyRecovery: rule.notifyRecovery,
    },
    admin,
    ...defined({ expiresAt }),
  };
  return { watch, alerts: next.alerts };
}

type NewWatch = Omit<Watch, 'ruleCondition' | 'repeatPolicy' | 'presentation' | 'admin'>;

/**
 * If the interval of reminders changes during an open episode, skips reminders that would already
 * be due with the new interval.
 */
function reminded(old: Watch, { reminder }: RepeatPolicy, now: Instant): Watch {
  return reminder === old.repeatPolicy.reminder || old.state !== 'firing'
    ? old
    : { ...old, remindedAt: now };
}

function lookedAtAgain(old: Watch, ruleCondition: RuleCondition, now: Instant): Watch {
  return isDeepStrictEqual(old.ruleCondition, ruleCondition)
    ? old
    : { ...old, ...edited(old, now) };
}

/**
 * Makes an evaluation due after an edit of a clock metric's threshold, because such a watch may
 * never get new data.
 */
function edited({ ruleCondition }: Watch, now: Instant): Pick<Watch, 'editedAt'> {
  return isClock(ruleCondition.metric) ? { editedAt: now } : {};
}

/**
 * Applies the end of a rule to a watch that continues. If a rule that has ended gets a later
 * end, the watch restarts, because it was not evaluated in between. A watch ends with the first
 * answer requested at its end or later; without such an answer, it ends a day later.
 */
function resumed(old: Watch, admin: Watch['admin'], now: Instant): Next {
  if (admin === 'expired' && old.admin === 'enabled') {
    return close(old, 'expired', { time: old.expiresAt ?? now, now });
  }
  if (admin !== 'enabled' || !hasMissedNews(old, now)) return { watch: old, alerts: [] };
  const rest = omit(
    old,
    ...(['countsFrom', 'stateSince', 'recentSamples', 'position', 'unmet'] as const),
    ...(['firedAt', 'lastReported', 'remindedAt'] as const),
  );
  const state = old.state === 'ended' ? ('ended' as const) : ('unknown' as const);
  const watch = { ...rest, state, since: now, evaluatedSeq: 0, ...edited(old, now) };
  return { watch, alerts: [] };
}

/**
 * Whether a watch may have missed observations since its end. This applies to a watch that has
 * ended, and to a watch of several price series whose end has passed, because it may still wait for
 * the answer about one of them. An open episode of such a watch continues.
 */
function hasMissedNews(old: Watch, now: Instant): boolean {
  if (old.admin === 'expired') return true;
  const isPast = old.expiresAt !== undefined && old.expiresAt <= now;
  return isPast && seriesOfWatch(old).length > 1 && !isEpisodeOpen(old);
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
    now < expiresAt + GRACE_PERIOD_AFTER_END;
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
