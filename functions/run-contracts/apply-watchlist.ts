import { isDeepStrictEqual } from 'node:util';
import {
  lookBackOf,
  seriesOfWatch,
  thresholdIndexesOf,
  type UnreadableWatch,
  type Watch,
} from '#shared/domain/evaluation/watch.ts';
import { shownName } from '#shared/domain/market/collection.ts';
import { type ContractKey, isOfTraits } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { withCarriers } from '#shared/domain/market/price-series.ts';
import { type ApplyMessage, applyMessages } from '#shared/domain/messages/contract-message.ts';
import { isClock, seriesOfMetric } from '#shared/domain/metrics/metric.ts';
import { omit } from '#shared/domain/omit.ts';
import type { Page } from '#shared/domain/page.ts';
import {
  type ContractRecord,
  newContractRecord,
  seriesIn,
  withTenant,
} from '#shared/domain/polling/contract-record.ts';
import {
  type ThresholdIndexName,
  thresholdIndexText,
} from '#shared/domain/rules/threshold-index.ts';
import { withSeries } from '#shared/domain/timeline/timeline.ts';
import { UnreadableError } from '#shared/domain/unreadable.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { applyList, isListed } from '#shared/domain/watchlists/apply-list.ts';
import { type Applied, type Job, notApplied } from '#shared/domain/watchlists/job.ts';
import { tokensOf } from '#shared/domain/watchlists/value-member.ts';
import type { Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import { collectionOf } from '#shared/use-cases/collection-of.ts';
import { createMessagesTo } from '#shared/use-cases/messages-to.ts';
import { oncePerList } from '#shared/use-cases/once-per-list.ts';
import { tryRead } from '#shared/use-cases/try-read.ts';
import { unlessConflict } from '#shared/use-cases/unless-conflict.ts';
import { createChannelWaker } from '#shared/use-cases/wake-channels.ts';
import { commitWatch } from './commit-watch.ts';
import type { RunContractsPorts } from './ports.ts';

/**
 * Maximum number of pages of a contract's watches that one message reads, because other work of the
 * contract waits.
 */
const PAGES_AT_ONCE = 4;

/**
 * Updates one list's watches on a contract to match the list's document, and the contract's series
 * to match its watches. Then records that the list was applied.
 */
export async function applyWatchlist(
  ports: RunContractsPorts,
  { contract, tenant, list: id }: ApplyMessage,
): Promise<void> {
  const listId = { tenant, id };
  // The list is applied even if its job is unreadable.
  const { found: job } = await tryRead({ kind: 'watchlist', id }, () =>
    ports.getJob(listId, { kind: 'apply' }),
  );
  const readAt = ports.now();
  const getWatchlist = oncePerList(ports.getWatchlist);
  const list = await getWatchlist(listId);
  if (list !== undefined) {
    const { entries: watches, unreadable } = await ports.watchesOfList(
      { tenant, list: id },
      contract,
    );
    expectNewest(list, watches);
    const left = await clearUnreadable(ports, list, contract, unreadable);
    const named = await withName(ports, list, contract);
    const waker = createChannelWaker({ ...ports, messagesTo: createMessagesTo(getWatchlist) });
    for (const { kind, ...change } of applyList(named, contract, watches, ports.now())) {
      if (left.has(change.watch.rule)) continue;
      const transition = { ...change, isRemoved: kind === 'delete', isEdit: true };
      await commitWatch(ports, waker, list, transition);
    }
    await waker.send();
    const { entries: applied } = await ports.watchesOfList({ tenant, list: id }, contract);
    const known = (await ports.getContract(contract)) ?? newContractRecord(contract, ports.now());
    const record = withTokens(known, list);
    const enabled = applied.filter(({ admin }) => admin === 'enabled');
    const needed = await needing(ports, record, enabled);
    const isWatched = enabled.length > 0 || (await ports.isWatchedBy(tenant, contract));
    const next = withTenant(await withTimers(ports, needed), tenant, isWatched);
    if (!isDeepStrictEqual(next, known)) await ports.putContract(next);
    await expectRevision(ports, list, contract);
  }
  await noteApplied(ports, job, { contract, revision: list?.revision ?? 0, at: readAt });
}

/**
 * Deletes the job if the list is now applied to all of its contracts. Otherwise records that the
 * list was applied to this contract.
 */
async function noteApplied(
  ports: RunContractsPorts,
  job: Job | undefined,
  applied: Applied,
): Promise<void> {
  if (job === undefined) return;
  const left = notApplied(job, [applied]);
  if (left.length === job.contracts?.length) return;
  if (left.length === 0) {
    const isSettled = await unlessConflict(async () => {
      await ports.settleJob(job);
      return true;
    });
    if (isSettled) return;
  }
  // If `run-jobs` has stored the job again in the meantime, this record ends the job's next run.
  await ports.noteApplied(job.list, applied);
}

/**
 * Adds the tokens held per contract to the record of a list value. Does not change other records.
 */
function withTokens(record: ContractRecord, list: Watchlist): ContractRecord {
  const held = tokensOf(list, record.contract);
  return held === undefined ? record : { ...record, held };
}

/**
 * The record with the current timers of its watches, after watches were created, edited or removed.
 */
async function withTimers(
  { earliestTimers }: RunContractsPorts,
  record: ContractRecord,
): Promise<ContractRecord> {
  const { refreshRequested } = record.timers;
  const earliest = await earliestTimers(record.contract);
  // Contracts without rules are not polled.
  const isRefreshRequested = refreshRequested !== undefined && seriesIn(record).length > 0;
  return {
    ...record,
    timers: { ...earliest, ...(isRefreshRequested ? { refreshRequested } : {}) },
  };
}

/**
 * Returns the list. If it does not name the contract, the name that the provider reported is added.
 */
async function withName(
  { getCollection }: RunContractsPorts,
  list: Watchlist,
  contract: ContractKey,
): Promise<Watchlist> {
  const member = list.members.find((one) => one.contract === contract);
  if (member === undefined || member.name !== undefined) return list;
  const name = shownName(member, await collectionOf(getCollection, contract));
  if (name === undefined) return list;
  return { ...list, members: list.members.with(list.members.indexOf(member), { ...member, name }) };
}

/**
 * Throws a conflict if a watch is newer than the list, which is then outdated. Otherwise a stale
 * worker could restart such a watch and use its alert ids twice.
 */
function expectNewest(list: Watchlist, watches: readonly Watch[]): void {
  const isOlder = (watch: Watch) => watch.generation > list.revision;
  if (watches.some(isOlder)) throw new VersionConflictError(`watchlist ${list.id}`);
}

/**
 * Deletes unreadable watches whose rule was removed or has a newer generation in the list. The
 * others stay until their rule begins a new generation, because restarting such a watch would use
 * its alert ids twice. Watches that are newer than the list, or without a readable version, stay
 * too. Returns the rules of the remaining watches.
 */
async function clearUnreadable(
  ports: RunContractsPorts,
  list: Watchlist,
  contract: ContractKey,
  unreadable: readonly UnreadableWatch[],
): Promise<ReadonlySet<string>> {
  const staying = new Set<string>();
  for (const { rule, version, generation = 0 } of unreadable) {
    const stays = generation > list.revision || isListed(list, { contract, rule, generation });
    if (version === undefined || stays) staying.add(rule);
    else await ports.deleteWatch({ tenant: list.tenant, list: list.id, contract, rule, version });
  }
  return staying;
}

/**
 * Throws a conflict if the list has changed, because it may no longer contain a watch that was just
 * written.
 */
async function expectRevision(
  ports: RunContractsPorts,
  { tenant, id, revision }: Watchlist,
  contract: ContractKey,
): Promise<void> {
  const list = await ports.getWatchlist({ tenant, id });
  if (list?.revision === revision) return;
  await sendApplyAgain(ports, { contract, tenant, list: id });
  throw new VersionConflictError(`watchlist ${id}`);
}

/**
 * Sends one more message that applies a list to a contract, before this worker removes watches that
 * a stale worker wrote. If this worker stops after it has removed the watches, SQS may not repeat
 * the message that the worker handles. Then only the new message removes their threshold indexes.
 */
export async function sendApplyAgain(
  ports: RunContractsPorts,
  { contract, tenant, list: id }: Omit<ApplyMessage, 'kind'>,
): Promise<void> {
  await ports.sendToContracts(applyMessages({ tenant, id }, [contract], ports.now()));
}

/**
 * Adds to the record the threshold indexes and series that the list's watches need. Other indexes
 * stay until the sweep shows that no watch needs them. A new watch waits for an answer to a later
 * request, and requests the history of its windows.
 */
async function needing(
  ports: RunContractsPorts,
  record: ContractRecord,
  watches: readonly Watch[],
): Promise<ContractRecord> {
  const now = ports.now();
  const reached = new Set(record.thresholdIndexes.map(thresholdIndexText));
  const requested = watches.reduce(
    (known, watch) => wantingFor(known, watch, reached, now),
    record,
  );
  const own = watches.flatMap(thresholdIndexesOf);
  const { unneeded, sweep } = await sweepOn(ports, record, own);
  const others = without(record.thresholdIndexes, unneeded);
  return withThresholdIndexes(withSweep(requested, sweep), [...others, ...own]);
}

/**
 * Continues the sweep over the watches of a contract to find threshold indexes that no watch needs.
 * A contract may have more watches than one message can read, so only the last page shows that an
 * index is not needed. If a watch starts to need an index in the meantime, applying its list
 * removes the index from the sweep.
 */
async function sweepOn(
  ports: RunContractsPorts,
  record: ContractRecord,
  own: readonly ThresholdIndexName[],
): Promise<{
  readonly unneeded: readonly ThresholdIndexName[];
  readonly sweep?: ContractRecord['sweep'];
}> {
  const { thresholdIndexes, sweep } = record;
  let unseen = without(sweep?.unseen ?? thresholdIndexes, own);
  let after = sweep?.after;
  for (let page = 0; page < PAGES_AT_ONCE && unseen.length > 0; page += 1) {
    const { entries, next } = await thresholdIndexesNeeded(ports, record, after);
    unseen = without(unseen, entries);
    if (next === undefined) return { unneeded: unseen };
    after = next;
  }
  if (after === undefined || unseen.length === 0) return { unneeded: [] };
  return { unneeded: [], sweep: { after, unseen } };
}

/**
 * The threshold indexes that the watches of a page need. If a watch is unreadable, returns all
 * indexes, because the watch may need any of them.
 */
async function thresholdIndexesNeeded(
  ports: RunContractsPorts,
  { contract, thresholdIndexes }: ContractRecord,
  after: string | undefined,
): Promise<Page<ThresholdIndexName, string>> {
  try {
    return await ports.thresholdIndexesNeeded(contract, after);
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    return { entries: thresholdIndexes };
  }
}

function without(
  all: readonly ThresholdIndexName[],
  some: readonly ThresholdIndexName[],
): readonly ThresholdIndexName[] {
  const names = new Set(some.map(thresholdIndexText));
  return all.filter((thresholdIndex) => !names.has(thresholdIndexText(thresholdIndex)));
}

function withSweep(record: ContractRecord, sweep: ContractRecord['sweep']): ContractRecord {
  if (isDeepStrictEqual(record.sweep, sweep)) return record;
  const rest = omit(record, 'sweep');
  return sweep === undefined ? rest : { ...rest, sweep };
}

/** The record with the series, answer and history that a watch waits for. */
function wantingFor(
  record: ContractRecord,
  watch: Watch,
  reached: ReadonlySet<string>,
  now: Instant,
): ContractRecord {
  let next = record;
  for (const series of withCarriers(seriesOfWatch(watch))) {
    if (next.series[series] === undefined)
      next = { ...next, series: { ...next.series, [series]: {} } };
  }
  // Evaluations reach a watch only after its threshold indexes are on the record.
  const isReached = thresholdIndexesOf(watch).every((name) =>
    reached.has(thresholdIndexText(name)),
  );
  const isLater = !isReached || watch.since >= newestAnswerTo(record, watch);
  if (watch.state === 'unknown' && isLater && !isClock(watch.ruleCondition.metric)) {
    next = { ...next, timers: { ...next.timers, refreshRequested: now } };
  }
  // The history of traits cannot be fetched, so a request for it would never be fulfilled.
  if (isOfTraits(record.contract)) return next;
  const window = lookBackOf(watch);
  const known = next.past?.known ?? 0;
  if (window <= Math.max(known, next.past?.requested ?? 0)) return next;
  return { ...next, past: { ...next.past, requested: window } };
}

/** The request time of the last answer with which a new watch could have started. */
function newestAnswerTo({ series }: ContractRecord, watch: Watch): Instant {
  return Math.min(...seriesOfWatch(watch).map((name) => series[name]?.answeredAt ?? 0));
}

/** The record with these threshold indexes, each once, and without series that no index needs. */
function withThresholdIndexes(
  record: ContractRecord,
  named: readonly ThresholdIndexName[],
): ContractRecord {
  const thresholdIndexes = [
    ...new Map(named.map((thresholdIndex) => [thresholdIndexText(thresholdIndex), thresholdIndex])),
  ]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, thresholdIndex]) => thresholdIndex);
  const needed = withCarriers(
    thresholdIndexes.flatMap(({ metric }) => (metric === 'all' ? [] : seriesOfMetric(metric))),
  );
  const gone = seriesIn(record).filter(([series]) => !needed.has(series));
  if (gone.length === 0 && isDeepStrictEqual(thresholdIndexes, record.thresholdIndexes))
    return record;
  const { past, ...rest } = record;
  return {
    ...rest,
    // Without polls of the floor the history gets a gap, so the back-fill must start again.
    ...(needed.has('floor') && past !== undefined ? { past } : {}),
    thresholdIndexes,
    series: Object.fromEntries(seriesIn(record).filter(([series]) => needed.has(series))),
    timeline: withSeries(record.timeline, needed),
  };
}
