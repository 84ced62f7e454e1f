import { CANARY, CANARY_MINUTES } from '#shared/domain/market/canary.ts';
import { type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import type { Part } from '#shared/domain/market/price-series.ts';
import {
  type ContractRecord,
  isLackedBy,
  returnedWith,
} from '#shared/domain/polling/contract-record.ts';
import {
  callOf,
  duePoll,
  isReportedBy,
  PLANNED_SECONDS,
  pollsPerMinute,
  waysOf,
} from '#shared/domain/polling/due-work.ts';
import {
  costOf,
  type GovernorRecord,
  wayFor,
  whyStopped,
} from '#shared/domain/polling/governor.ts';
import {
  inOrder,
  type PlannedPoll,
  type Poll,
  planMinute,
  upTo,
} from '#shared/domain/polling/minute-plan.ts';
import { type Charge, isClaimed, type PollProgress } from '#shared/domain/polling/poll-progress.ts';
import { NOTHING_SPENT, shareOut, withSpent } from '#shared/domain/polling/tenant-shares.ts';
import type { UpstreamLimits } from '#shared/domain/polling/upstream-limits.ts';
import type { PollPricesPorts, PriceSource } from './ports.ts';

/**
 * Plans the calls of a pass and claims them: the claim and the charge for its calls are written
 * together, before any is made. While another pass is under way, nothing is planned or claimed.
 *
 * The calls go to the first provider. While it is stopped, the next provider stands in.
 */
export async function claimPass(
  ports: PollPricesPorts,
  records: readonly ContractRecord[],
  now: Instant,
) {
  const { cadenceMinutes } = ports;
  const progress = await ports.getProgress();
  const { spending: before = NOTHING_SPENT } = progress;
  const first = await accountOf(ports, now);
  const standIn = first.stopped && (await standInOf(ports, now));
  const { source, governor, stopped } = standIn ?? first;
  const { limits } = source;
  const priced = records.filter(({ contract }) => contract !== CANARY);
  const lasting = shareOut(priced, before, first.governor, ports.limits, cadenceMinutes, now);
  // Tenants spend units of the first provider.
  const shares =
    standIn === undefined
      ? lasting
      : shareOut(priced, NOTHING_SPENT, governor, limits, cadenceMinutes, now);
  const cadenceOf = (record: ContractRecord) =>
    record.contract === CANARY
      ? Math.min(cadenceMinutes, CANARY_MINUTES)
      : shares.cadenceOf(record);
  const standsIn = standIn?.source.provider;
  const known = {
    ...{ source, standsIn, stopped: first.stopped, governor: first.governor },
    ...{ cadences: lasting.cadences, cadencesNow: shares.cadences, cadenceOf },
  };
  if (isClaimed(progress, now)) return { ...known, claimed: undefined, polls: [] };

  const ofAll = dueIn(progress, records, cadenceOf, now);
  const mayPlan = (record: ContractRecord, part: Part) =>
    !(standIn !== undefined && isLackedBy(record, limits.provider, now)) &&
    wayFor(governor, 'polling', waysOf(part, limits.provider), now) !== undefined &&
    whyStopped(governor, 'polling', costOf([callOf(part)], limits), limits, now) === undefined;
  const mayAsk = (record: ContractRecord, part: Part) =>
    mayPlan(record, part) ||
    // The poll asks other providers for a part that the planned provider denies.
    (stopped === undefined &&
      ports.others.some(
        ({ provider }) => provider !== limits.provider && isReportedBy(provider, part),
      ));
  const slots = stopped === undefined ? pollsPerMinute(limits) : Number.POSITIVE_INFINITY;
  const due = ofAll.flatMap((poll): Poll[] => {
    const { record } = poll;
    if (record.contract === CANARY) return [];
    // Without a provider to ask, a part is polled once without a call, so that its silence begins.
    const parts = poll.parts.filter(
      (part) => mayAsk(record, part) || hasUnnotedSilence(record, part),
    );
    return parts.length > 0 ? [{ ...poll, parts }] : [];
  });
  const ordered = inOrder(due, shares, limits);
  const until = now + PLANNED_SECONDS * SECOND;
  const planned = planMinute(governor, upTo(slots, ordered), limits, { now: ports.now(), until });
  const polls = [...pollsOfCanary(ofAll, now), ...planned.polls];
  const paid = standIn === undefined ? planned.polls : [];
  const spending = paid.reduce((sum, { record, calls }) => {
    const made = Object.values(calls).flatMap((leased) => leased?.call ?? []);
    return withSpent(sum, record, costOf(made, limits), now);
  }, before);
  // While all providers are stopped, the contracts stay due.
  const claim = stopped === undefined && {
    claim: { until: Math.floor(now / MINUTE), expiresAt: ports.now() + ports.remainingTime() },
  };
  const next = { ...progress, claim: undefined, ...claim, spending, standsIn };
  const charge: Charge | undefined =
    planned.governor === governor
      ? undefined
      : { provider: limits.provider, governor: planned.governor };
  // The end of a pass that polls nothing is all that there is to write.
  if (polls.length === 0) return { ...known, claimed: next, polls };
  return { ...known, claimed: await ports.putProgress(next, charge), polls };
}

/** The contracts that fell due since the last finished pass, or whose polls failed in it. */
function dueIn(
  { polledUntil: after, again }: PollProgress,
  records: readonly ContractRecord[],
  cadenceOf: (record: ContractRecord) => number,
  now: Instant,
): readonly Poll[] {
  const until = Math.floor(now / MINUTE);
  const repeated = new Set(again);
  return records.flatMap((record) => {
    const cadence = cadenceOf(record);
    const from = repeated.has(record.contract) ? until - cadence : after;
    const due = duePoll(record, { after: from, until }, cadence, now);
    return due === undefined ? [] : [{ ...due, record }];
  });
}

/** Whether a request that cannot be made now is of a series whose silence is not noted yet. */
function hasUnnotedSilence(record: ContractRecord, asked: Part): boolean {
  return returnedWith(record, asked).some(([, { silentSince }]) => silentSince === undefined);
}

/** The canary's floor is known: no call is planned for it, and no budget holds it up. */
function pollsOfCanary(due: readonly Poll[], now: Instant): readonly PlannedPoll[] {
  return due.flatMap(({ record, parts }) =>
    record.contract === CANARY ? [{ record, parts, calls: {}, startAt: now }] : [],
  );
}

/** A provider with its current account. `stopped` is the reason why it accepts no calls, if any. */
type Account = {
  readonly source: PriceSource;
  readonly governor: GovernorRecord;
  readonly stopped: ReturnType<typeof whyStopped>;
};

async function accountOf(source: PriceSource, now: Instant): Promise<Account> {
  const { limits, getGovernor } = source;
  const governor = await getGovernor();
  const stopped = whyStopped(governor, 'polling', cheapest(limits), limits, now);
  return { source, governor, stopped };
}

/** The first other provider that accepts calls. Providers that report sales alone are the last. */
async function standInOf({ others }: PollPricesPorts, now: Instant): Promise<Account | undefined> {
  const hasFloors = ({ provider }: PriceSource) => isReportedBy(provider, 'floor');
  const withFloors = others.filter(hasFloors);
  for (const other of [...withFloors, ...others.filter((one) => !hasFloors(one))]) {
    const account = await accountOf(other, now);
    if (account.stopped === undefined) return account;
  }
  return undefined;
}

/** The cost of the cheapest call: when the budget has less left, polls wait. */
function cheapest({ costs }: UpstreamLimits): number {
  return Math.min(...Object.values(costs));
}
