import { isDeepStrictEqual } from 'node:util';
import {
  lookBackOf,
  partsOfWatch,
  thresholdIndexesOf,
  type UnreadableWatch,
  type Watch,
} from '#shared/domain/evaluation/watch.ts';
import { shownName } from '#shared/domain/market/collection.ts';
import { type ContractKey, isOfTraits, wholeOf } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { withCarriers } from '#shared/domain/market/price-series.ts';
import type { ApplyMessage } from '#shared/domain/messages/contract-message.ts';
import { isClock, partsOfMetric } from '#shared/domain/metrics/metric.ts';
import { omit } from '#shared/domain/omit.ts';
import type { Page } from '#shared/domain/page.ts';
import {
  type ContractRecord,
  newContractRecord,
  partsOf,
  withTenant,
} from '#shared/domain/polling/contract-record.ts';
import {
  type ThresholdIndexName,
  thresholdIndexText,
} from '#shared/domain/rules/threshold-index.ts';
import { withParts } from '#shared/domain/timeline/timeline.ts';
import { UnreadableError } from '#shared/domain/unreadable.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { applyList, isWanted } from '#shared/domain/watchlists/apply-list.ts';
import { type Applied, type Job, notApplied } from '#shared/domain/watchlists/job.ts';
import type { Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import { createMessagesTo } from '#shared/use-cases/messages-to.ts';
import { oncePerList } from '#shared/use-cases/once-per-list.ts';
import { orUnreadable } from '#shared/use-cases/or-unreadable.ts';
import { unlessConflict } from '#shared/use-cases/unless-conflict.ts';
import { createChannelWaker } from '#shared/use-cases/wake-channels.ts';
import { commitWatch } from './commit-watch.ts';
import type { RunContractsPorts } from './ports.ts';

/** Pages of a contract's watches that one message reads: the contract's other work waits. */
const PAGES_AT_ONCE = 4;

/**
 * Brings one list's watches on a contract in line with the list's document, and the contract's
 * parts in line with its watches. Only then is that noted.
 */
export async function applyWatchlist(
  ports: RunContractsPorts,
  { contract, tenant, list: id }: ApplyMessage,
): Promise<void> {
  const listId = { tenant, id };
  // The list is applied even if its job cannot be read.
  const { found: job } = await orUnreadable({ kind: 'watchlist', id }, () =>
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
    const record = (await ports.getContract(contract)) ?? newContractRecord(contract, ports.now());
    const enabled = applied.filter(({ admin }) => admin === 'enabled');
    const needed = await needing(ports, record, enabled);
    const isWatched = enabled.length > 0 || (await ports.isWatchedBy(tenant, contract));
    const next = withTenant(await withTimers(ports, needed), tenant, isWatched);
    if (!isDeepStrictEqual(next, record)) await ports.putContract(next);
    await expectRevision(ports, list);
  }
  await noteApplied(ports, job, { contract, revision: list?.revision ?? 0, at: readAt });
}

/** Notes that the list was applied to a contract. A job with this contract alone is done. */
async function noteApplied(
  ports: RunContractsPorts,
  job: Job | undefined,
  applied: Applied,
): Promise<void> {
  if (job === undefined) return;
  const left = notApplied(job, [applied]);
  if (left.length === job.contracts?.length) return;
  if (left.length === 0) return await unlessConflict(() => ports.settleJob(job));
  await ports.noteApplied(job.list, applied);
}

/** The record with the timers of its watches: some were begun, edited or removed. */
async function withTimers(
  { earliestTimers }: RunContractsPorts,
  record: ContractRecord,
): Promise<ContractRecord> {
  const { awaited } = record.timers;
  const earliest = await earliestTimers(record.contract);
  // Without rules the contract is not polled.
  const isAwaited = awaited !== undefined && partsOf(record).length > 0;
  return { ...record, timers: { ...earliest, ...(isAwaited ? { awaited } : {}) } };
}

/** The list with what the contract is called, where it does not say so itself. */
async function withName(
  { getCollection }: RunContractsPorts,
  list: Watchlist,
  contract: ContractKey,
): Promise<Watchlist> {
  const member = list.members.find((one) => one.contract === contract);
  if (member === undefined || member.name !== undefined) return list;
  const name = shownName(member, await getCollection(wholeOf(contract)));
  if (name === undefined) return list;
  return { ...list, members: list.members.with(list.members.indexOf(member), { ...member, name }) };
}

/**
 * Throws a conflict if the list is outdated: a watch is newer than the list. A stale worker that
 * restarted such a watch would use its alert ids twice.
 */
function expectNewest(list: Watchlist, watches: readonly Watch[]): void {
  const isOlder = (watch: Watch) => watch.generation > list.revision;
  if (watches.some(isOlder)) throw new VersionConflictError(`watchlist ${list.id}`);
}

/**
 * Deletes unreadable watches whose generation the list does not ask for. The others stay until
 * their rule begins a new generation: restarting one would use its alert ids twice. Watches that
 * are newer than the list, or without a readable version, stay too. Returns the rules of those that
 * stay.
 */
async function clearUnreadable(
  ports: RunContractsPorts,
  list: Watchlist,
  contract: ContractKey,
  unreadable: readonly UnreadableWatch[],
): Promise<ReadonlySet<string>> {
  const staying = new Set<string>();
  for (const { rule, version, generation = 0 } of unreadable) {
    const stays = generation > list.revision || isWanted(list, { contract, rule, generation });
    if (version === undefined || stays) staying.add(rule);
    else await ports.deleteWatch({ tenant: list.tenant, list: list.id, contract, rule, version });
  }
  return staying;
}

/** Throws a conflict if the list has changed: a watch just written may be one that it removed. */
async function expectRevision(ports: RunContractsPorts, { tenant, id, revision }: Watchlist) {
  const list = await ports.getWatchlist({ tenant, id });
  if (list?.revision !== revision) throw new VersionConflictError(`watchlist ${id}`);
}

/**
 * The record with the threshold indexes and parts that its watches need: those of this list, and
 * all others not known to be unneeded. A new watch awaits an answer asked for after this, and wants
 * the past that its windows look back on.
 */
async function needing(
  ports: RunContractsPorts,
  record: ContractRecord,
  watches: readonly Watch[],
): Promise<ContractRecord> {
  const now = ports.now();
  const reached = new Set(record.thresholdIndexes.map(thresholdIndexText));
  const wanted = watches.reduce((known, watch) => wantingFor(known, watch, reached, now), record);
  const own = watches.flatMap(thresholdIndexesOf);
  const { unneeded, sweep } = await sweepOn(ports, record, own);
  const others = without(record.thresholdIndexes, unneeded);
  return withThresholdIndexes(withSweep(wanted, sweep), [...others, ...own]);
}

/**
 * Continues through the watches of a contract, from where the sweep stopped, to find threshold
 * indexes that no watch needs. A contract may have more watches than one message can read, so an
 * index is known to be unneeded only after the last page. If a watch begins to need an index
 * meanwhile, applying its list removes the index from the sweep.
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

/** An unreadable watch may need any threshold index: then all count as needed. */
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

/** The record with the parts, the answer and the past that one watch waits for. */
function wantingFor(
  record: ContractRecord,
  watch: Watch,
  reached: ReadonlySet<string>,
  now: Instant,
): ContractRecord {
  let next = record;
  for (const part of withCarriers(partsOfWatch(watch))) {
    if (next.parts[part] === undefined) next = { ...next, parts: { ...next.parts, [part]: {} } };
  }
  // Until its threshold indexes are on the record, evaluations do not reach a watch.
  const isReached = thresholdIndexesOf(watch).every((name) =>
    reached.has(thresholdIndexText(name)),
  );
  const isLater = !isReached || watch.since >= newestAnswerTo(record, watch);
  if (watch.state === 'unknown' && isLater && !isClock(watch.ruleCondition.metric)) {
    next = { ...next, timers: { ...next.timers, awaited: now } };
  }
  // The past of traits cannot be fetched: a request for it would never be fulfilled.
  if (isOfTraits(record.contract)) return next;
  const window = lookBackOf(watch);
  const known = next.past?.known ?? 0;
  if (window <= Math.max(known, next.past?.wanted ?? 0)) return next;
  return { ...next, past: { ...next.past, wanted: window } };
}

/** When the last answer was asked for that a new watch could have started with. */
function newestAnswerTo({ parts }: ContractRecord, watch: Watch): Instant {
  return Math.min(...partsOfWatch(watch).map((part) => parts[part]?.answeredAt ?? 0));
}

/**
 * The record with these threshold indexes, each once, and without the parts that none of them
 * needs.
 */
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
    thresholdIndexes.flatMap(({ metric }) => (metric === 'all' ? [] : partsOfMetric(metric))),
  );
  const gone = partsOf(record).filter(([part]) => !needed.has(part));
  if (gone.length === 0 && isDeepStrictEqual(thresholdIndexes, record.thresholdIndexes))
    return record;
  const { past, ...rest } = record;
  return {
    ...rest,
    // While floors are not polled, the recorded past gets a gap.
    ...(needed.has('floor') && past !== undefined ? { past } : {}),
    thresholdIndexes,
    parts: Object.fromEntries(partsOf(record).filter(([part]) => needed.has(part))),
    timeline: withParts(record.timeline, needed),
  };
}
