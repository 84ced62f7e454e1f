import { type Alert, alertId, type Fact } from '#shared/domain/alerting/alert.ts';
import { worded } from '#shared/domain/alerting/alert-words.ts';
import { destinationIdsOfRule } from '#shared/domain/channels/destination-id.ts';
import { ruleEnd, ruleOf } from '#shared/domain/evaluation/watch.ts';
import { DEFAULT_CHAIN } from '#shared/domain/market/chains.ts';
import { contractOf } from '#shared/domain/market/contract.ts';
import { formatDecimal } from '#shared/domain/market/decimal.ts';
import {
  formatInstant,
  type Instant,
  MINUTE,
  nextMinute,
  readInstant,
} from '#shared/domain/market/instant.ts';
import { unitShown } from '#shared/domain/metrics/metric.ts';
import { GRACE_PERIOD_AFTER_END } from '#shared/domain/polling/contract-record.ts';
import { clausesIn, contractsIn, ruleConditionOf } from '#shared/domain/rules/alert-rule.ts';
import { clauseText, conditionText } from '#shared/domain/rules/clause.ts';
import { passedLine } from '#shared/domain/rules/condition.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { holdingOf } from '#shared/domain/watchlists/holding.ts';
import type { ExpiryTarget } from '#shared/domain/watchlists/job.ts';
import { mutedUntil } from '#shared/domain/watchlists/mute.ts';
import { watchedMembers } from '#shared/domain/watchlists/value-member.ts';
import {
  type Rule,
  rulesOn,
  type Watchlist,
  type WatchlistId,
} from '#shared/domain/watchlists/watchlist.ts';
import { postAlerts } from '#shared/use-cases/post-alerts.ts';
import { retryingConflicts } from '#shared/use-cases/retrying-conflicts.ts';
import type { JobOutcome } from './job-outcome.ts';
import type { RunJobsPorts } from './ports.ts';

/**
 * Reports the end of a rule once, and marks its watches as expired. Each watch is evaluated for the
 * last time with the first answer requested at or after the end, so the job waits up to a day for
 * these answers. It also waits while the rule is muted. If the end was postponed, only the job of
 * the new end reports an end. Removed and paused rules are not reported.
 */
export async function announceExpiry(
  ports: RunJobsPorts,
  id: WatchlistId,
  { rule: ruleId, end }: ExpiryTarget,
): Promise<JobOutcome> {
  const list = await ports.getWatchlist(id);
  const now = ports.now();
  const rule = list?.rules.find((other) => other.id === ruleId);
  const expiredAt = rule?.expiresAt === undefined ? undefined : readInstant(rule.expiresAt);
  if (list === undefined || !rule?.enabled || expiredAt === undefined || expiredAt > now) {
    return 'done';
  }
  // The alerts that close the episodes of the watches are sent first.
  if (now < end + MINUTE) return { dueAt: end + MINUTE };
  const isInGracePeriod = now < end + GRACE_PERIOD_AFTER_END;
  const unanswered = await contractsStillWatched(
    ports,
    list,
    rule,
    isInGracePeriod ? 1 : undefined,
  );
  if (unanswered > 0 && isInGracePeriod) return { dueAt: nextMinute(now) };
  await putWatchesAside(ports, list, rule, now);
  const { mutes } = await ports.getMutes(id);
  const until = mutedUntil(mutes, { ...rule, contract: undefined, episode: undefined }, now);
  if (until !== undefined) return { dueAt: until };
  const alert = expiredAlert(list, rule, expiredAt, unanswered);
  await postAlerts(ports, [alert], destinationIdsOfRule(list, rule, ports));
  return 'done';
}

/** The number of contracts on which a rule has not ended yet; counts up to `most`. */
async function contractsStillWatched(
  ports: RunJobsPorts,
  list: Watchlist,
  rule: Rule,
  most = Number.POSITIVE_INFINITY,
): Promise<number> {
  const { tenant, id } = list;
  let waiting = 0;
  for (const { contract } of watchedMembers(list)) {
    if (waiting === most) break;
    if (!rulesOn(list, contract).includes(rule)) continue;
    const watches = await ports.watchesOfList({ tenant, list: id }, contract);
    if (watches.some((one) => ruleOf(one) === rule.id && ruleEnd(one) !== undefined)) waiting += 1;
  }
  return waiting;
}

/**
 * Creates a job that applies the list to each contract of the rule. Applying the list marks the
 * rule's watches as expired.
 */
async function putWatchesAside(
  ports: RunJobsPorts,
  list: Watchlist,
  rule: Rule,
  now: Instant,
): Promise<void> {
  const { tenant, id, revision } = list;
  const about = { list: { tenant, id }, target: { kind: 'apply' }, revision } as const;
  const contracts = watchedMembers(list).flatMap(({ contract }) =>
    rulesOn(list, contract).includes(rule) ? [contract] : [],
  );
  await retryingConflicts(async () => {
    const job = { ...about, createdAt: now, dueAt: now, version: ports.newVersion() };
    const known = await ports.makeJob({ ...job, contracts });
    if (known === undefined) throw new VersionConflictError(`the job of ${id}`);
    if (known.version === job.version) return;
    const all = [...new Set([...contracts, ...(known.contracts ?? [])])];
    const revised = Math.max(revision, known.revision);
    await ports.replaceJob(known, { ...job, revision: revised, contracts: all });
  });
}

/**
 * The alert about the end of a rule. Its id depends only on the rule and the end, so repeated calls
 * report the end once.
 */
function expiredAlert(list: Watchlist, rule: Rule, expiredAt: Instant, unanswered: number): Alert {
  const about = { tenant: list.tenant, list: list.id, rule: rule.id, contract: null };
  const [contract = list.members[0]?.contract] = contractsIn(rule.on);
  const chain = contract === undefined ? DEFAULT_CHAIN : contractOf(contract).chain;
  const held = watchedMembers(list).find((member) => rulesOn(list, member.contract).includes(rule));
  const ruleCondition = ruleConditionOf(rule, chain, held && holdingOf(held));
  const { metric, unit, condition } = ruleCondition;
  const alert = {
    id: alertId(about, rule.since, `expired-${expiredAt}`),
    kind: 'expired' as const,
    tenant: list.tenant,
    watchlist: list.id,
    rule: rule.id,
    contract: null,
    name: null,
    metric,
    when: condition.when,
    threshold: formatDecimal(passedLine(condition, undefined)),
    value: null,
    previous: null,
    unit: unitShown(metric, unit),
    usd: null,
    dataTime: formatInstant(expiredAt),
    late: false,
    source: null,
    at: formatInstant(expiredAt),
    generation: rule.since,
    episode: null,
    open: null,
    duration: null,
    extreme: null,
    severity: rule.severity,
  };
  return worded(alert, {
    label: rule.label,
    condition: conditionText(condition, metric, unit),
    conditions: clausesIn(ruleCondition).map(clauseText),
    ...(unanswered === 0 ? {} : { details: [unseenUntilEnd(unanswered)] }),
  });
}

/** The fact for contracts without an answer: the end of the rule was not evaluated there. */
function unseenUntilEnd(contracts: number): Fact {
  const which = contracts === 1 ? '1 contract' : `${contracts} contracts`;
  return {
    name: 'Final evaluation missing',
    value: `${which}, because the data provider has not responded since the rule expired`,
  };
}
