import { isDeepStrictEqual } from 'node:util';
import { evaluateWatch } from '#shared/domain/evaluation/evaluate-watch.ts';
import { awaitFirstValue } from '#shared/domain/evaluation/first-value.ts';
import { indexRangesOf, windowsOf } from '#shared/domain/evaluation/index-ranges.ts';
import { knownOf, partSnapshot, type Snapshot } from '#shared/domain/evaluation/snapshot.ts';
import {
  endOf,
  lookBackOf,
  partsOfWatch,
  pastNeededAt,
  thresholdIndexesOf,
  type Watch,
  type WatchId,
  wakeAt,
} from '#shared/domain/evaluation/watch.ts';
import { earliest, type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import { recordedPrice } from '#shared/domain/market/outlier.ts';
import type { Part } from '#shared/domain/market/point.ts';
import type { EvaluateMessage, WakeMessage } from '#shared/domain/messages/contract-message.ts';
import { isClock, windowExpiriesBetween } from '#shared/domain/metrics/metric.ts';
import { type ContractRecord, partsOf, wantedOf } from '#shared/domain/polling/contract-record.ts';
import {
  type IndexRange,
  thresholdIndexNameOf,
  thresholdIndexText,
} from '#shared/domain/rules/threshold-index.ts';
import { UnreadableError } from '#shared/domain/unreadable.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { isWanted } from '#shared/domain/watchlists/apply-list.ts';
import { oncePerList } from '#shared/use-cases/once-per-list.ts';
import { retryingConflicts } from '#shared/use-cases/retrying-conflicts.ts';
import { waitForAll } from '#shared/use-cases/wait-for-all.ts';
import { applyWatchlist } from './apply-watchlist.ts';
import { outboxMessage } from './outbox-message.ts';
import type { RunContractsPorts } from './ports.ts';

/** Milliseconds; with less time left an evaluation continues in another invocation. */
const TIME_TO_STOP = 10 * SECOND;
const WATCHES_AT_ONCE = 10;

/**
 * Evaluates the watches that the newest observations, the unevaluated observations and the window
 * expiries reach, and no others. Once all effects are on the table, removes the evaluated
 * observations from the contract's record.
 */
export async function evaluateWatches(
  ports: RunContractsPorts,
  record: ContractRecord,
  cadenceMinutes: number,
  from?: EvaluateMessage['from'],
): Promise<void> {
  const upTo = from?.upTo ?? record.seq;
  const view = from === undefined ? record : asOf(record, from);
  if (from === undefined) await recordHistory(ports, view);
  const evaluation = await evaluationOn(ports, view, { upTo, cadenceMinutes });
  const { snapshot } = evaluation;
  let begun = false;
  for (const indexRange of remaining(indexRangesOf(view, snapshot, ports.now()), from)) {
    let after = positionOn(indexRange, from);
    do {
      if (begun && ports.remainingTime() < TIME_TO_STOP) {
        const stopped = { upTo, answered: answersIn(view), ...nameOf(indexRange) };
        await goOnLater(ports, record, cadenceMinutes, { ...stopped, ...(after && { after }) });
        return;
      }
      begun = true;
      const { entries, next } = await ports.watchesReached(indexRange, after);
      await evaluateAll(ports, evaluation, entries);
      after = next;
    } while (after !== undefined);
  }
  await checkpoint(ports, record, evaluation);
}

/**
 * Evaluates watches whose timers are due, and sends the list's actor to their outboxes. If no answer
 * from an instant that they have come to, or later, is recorded, one is marked as wanted. What the
 * time is too short for is due in the next minute, too.
 */
export async function wakeWatches(
  ports: RunContractsPorts,
  { contract, cadenceMinutes, watches }: WakeMessage,
): Promise<void> {
  const record = await ports.getContract(contract);
  const evaluation =
    record && (await evaluationOn(ports, record, { upTo: record.seq, cadenceMinutes }));
  // Also without a contract record: a mute may have held back alerts of a contract since deleted.
  const wake = (id: WatchId) =>
    evaluation === undefined
      ? unlessUnreadable(ports, id, () => ports.getWatch(id))
      : evaluateOne(ports, evaluation, id);
  const wanted = new Map<Part, Instant>();
  for (let start = 0; start < watches.length; start += WATCHES_AT_ONCE) {
    if (start > 0 && ports.remainingTime() < TIME_TO_STOP) break;
    const ids = watches.slice(start, start + WATCHES_AT_ONCE).map((id) => ({ contract, ...id }));
    const woken = await evaluateTogether(ports, ids, wake, Math.floor(ports.now() / MINUTE));
    for (const [part, instant] of woken.flatMap((watch) => awaitedBy(watch, ports.now()))) {
      wanted.set(part, Math.max(instant, wanted.get(part) ?? instant));
    }
  }
  if (record === undefined) return;
  for (const [part, instant] of wanted) await wantAnswer(ports, record, part, instant);
}

/** The instant from which a watch waits for an answer of its parts, where it has come to one. */
function awaitedBy(watch: Watch, now: Instant): readonly (readonly [Part, Instant])[] {
  // The timer and the end both need an answer from then or later: one from the earlier is enough.
  const instant = earliest([wakeAt(watch), endOf(watch)]);
  if (instant === undefined || instant > now || isClock(watch.ruleCondition.metric)) return [];
  return partsOfWatch(watch).map((part) => [part, instant]);
}

async function wantAnswer(
  ports: RunContractsPorts,
  { contract }: ContractRecord,
  part: Part,
  after: Instant,
): Promise<void> {
  await retryingConflicts(async () => {
    const record = await ports.getContract(contract);
    const known = record?.parts[part];
    if (record === undefined || known === undefined) return;
    // Of several parts, one may have been answered since: it is not asked again.
    const isAsked = record.wanted[part] !== undefined && record.wanted[part] >= after;
    const isAnswered = known.answeredAt !== undefined && known.answeredAt > after;
    if (isAsked || isAnswered) return;
    await ports.putContract({ ...record, wanted: { ...record.wanted, [part]: after } });
  });
}

/**
 * The input of an evaluation: the contract up to an observation number, its snapshot, and the
 * cadence in force.
 */
type Evaluation = {
  readonly view: ContractRecord;
  readonly upTo: number;
  readonly cadenceMinutes: number;
  readonly snapshot: Snapshot;
  /** Where the recorded floors of the snapshot begin; undefined if no window needs them. */
  readonly pastSince: Instant | 'unreadable' | undefined;
  /** Reads the document of a watch's list, once per list. */
  readonly getWatchlist: RunContractsPorts['getWatchlist'];
};

/** The record as the stopped evaluation read it: its continuation uses no newer observations. */
function asOf(record: ContractRecord, { upTo, answered }: From): ContractRecord {
  const parts = partsOf(record).map(([part, { answeredAt: _later, ...known }]) => {
    const answeredAt = answered[part];
    return [part, { ...known, ...(answeredAt === undefined ? {} : { answeredAt }) }] as const;
  });
  const unevaluated = record.unevaluated.filter(({ seq }) => seq <= upTo);
  return { ...record, unevaluated, parts: Object.fromEntries(parts) };
}

function answersIn(view: ContractRecord): From['answered'] {
  const answers = partsOf(view).flatMap(([part, { answeredAt }]) =>
    answeredAt === undefined ? [] : [[part, answeredAt] as const],
  );
  return Object.fromEntries(answers);
}

async function recordHistory(ports: RunContractsPorts, view: ContractRecord): Promise<void> {
  for (const [part] of partsOf(view)) {
    const points = view.unevaluated.flatMap((observation) =>
      observation.part === part ? (recordedPrice(observation) ?? []) : [],
    );
    if (points.length > 0) await ports.recordHistory(view.contract, part, points);
  }
}

/** The evaluation of a contract, with recorded floors as far back as its windows look. */
async function evaluationOn(
  ports: RunContractsPorts,
  view: ContractRecord,
  asked: Pick<Evaluation, 'upTo' | 'cadenceMinutes'>,
): Promise<Evaluation> {
  const evaluation = { ...asked, view, getWatchlist: oncePerList(ports.getWatchlist) };
  const parts = Object.fromEntries(
    partsOf(view).map(([part]) => [part, partSnapshot(view, part, asked.upTo)]),
  );
  const snapshot: Snapshot = { parts, windowsExpiredUntil: view.windowExpiries?.until };
  const window = Math.max(0, ...windowsOf(view.thresholdIndexes));
  const floor = snapshot.parts.floor;
  const begin = earliest([
    view.windowExpiries?.until ?? floor?.answeredAt,
    ...view.unevaluated.map(({ point }) => point.time),
    floor?.newest?.point.time,
  ]);
  if (window === 0 || floor === undefined || begin === undefined) {
    return { ...evaluation, snapshot, pastSince: undefined };
  }
  const pastSince = pastNeededAt(begin, window);
  const recorded = await recordedSince(ports, view, 'floor', pastSince);
  if (recorded === undefined) return { ...evaluation, snapshot, pastSince: 'unreadable' };
  const known = { ...parts, floor: { ...floor, recorded } };
  return { ...evaluation, snapshot: { ...snapshot, parts: known }, pastSince };
}

async function evaluateAll(
  ports: RunContractsPorts,
  evaluation: Evaluation,
  ids: readonly WatchId[],
): Promise<void> {
  for (let start = 0; start < ids.length; start += WATCHES_AT_ONCE) {
    const together = ids.slice(start, start + WATCHES_AT_ONCE);
    await evaluateTogether(ports, together, (id) => evaluateOne(ports, evaluation, id));
  }
}

/** Evaluates watches at the same time, and sends the list's actor to their outboxes. */
async function evaluateTogether(
  ports: RunContractsPorts,
  ids: readonly WatchId[],
  work: (id: WatchId) => Promise<Watch | undefined>,
  again?: number,
): Promise<readonly Watch[]> {
  const evaluated = await waitForAll(ids.map(work));
  const found = evaluated.filter((watch) => watch !== undefined);
  const outgoing = found.flatMap((watch) => outboxMessage(watch, again));
  if (outgoing.length > 0) await ports.sendToLists(outgoing);
  return found;
}

/**
 * Evaluates and writes one watch. A failure is reported and the evaluation continues: it must not
 * hold up other watches.
 */
async function evaluateOne(
  ports: RunContractsPorts,
  evaluation: Evaluation,
  id: WatchId,
): Promise<Watch | undefined> {
  return await unlessUnreadable(ports, id, async () => {
    const watch = await ports.getWatch(id);
    if (watch === undefined) return undefined;
    if (watch.admin === 'removed') return watch;
    if (watch.state === 'unknown' && !(await isOfItsList(evaluation, watch))) {
      const { contract, tenant, list } = watch;
      await applyWatchlist(ports, { kind: 'apply', contract, tenant, list });
      return undefined;
    }
    // The worker that began the watch stopped before it wrote the contract's record, and is
    // retried. Until then the snapshot lacks the past that the watch's windows need.
    if (!isKnownTo(evaluation.view, watch)) return watch;
    const evaluated = await evaluate(ports, evaluation, watch);
    if (evaluated === watch) return watch;
    const written = await ports.putWatch(evaluated);
    reportAlerts(ports, watch, written);
    // A concurrent evaluation of newer observations may have read the watch in its old state and
    // skipped it. The watch is evaluated again in its new state.
    const isOvertaken = isClock(watch.ruleCondition.metric) && written.state !== watch.state;
    return isOvertaken ? await evaluateOne(ports, evaluation, id) : written;
  });
}

function reportAlerts(ports: RunContractsPorts, before: Watch, after: Watch): void {
  const known = new Set(before.outbox.map(({ id }) => id));
  const alerts = after.outbox.flatMap(({ id }) => (known.has(id) ? [] : [id]));
  if (alerts.length === 0) return;
  const { tenant, list, rule, contract } = after;
  ports.report('alerts_made', { tenant, list, rule, contract, alerts });
}

function isKnownTo({ thresholdIndexes }: ContractRecord, watch: Watch): boolean {
  const known = new Set(thresholdIndexes.map(thresholdIndexText));
  return thresholdIndexesOf(watch).every((thresholdIndex) =>
    known.has(thresholdIndexText(thresholdIndex)),
  );
}

/**
 * Whether the list's document still asks for a watch. A stale worker may have begun it for a list
 * that is deleted or changed since: such a watch must never alert.
 */
async function isOfItsList({ getWatchlist }: Evaluation, watch: Watch): Promise<boolean> {
  const list = await getWatchlist({ tenant: watch.tenant, id: watch.list });
  return list !== undefined && isWanted(list, watch);
}

/** Reports a watch as failed, and returns undefined, if it or its list is unreadable. */
async function unlessUnreadable(
  ports: RunContractsPorts,
  id: WatchId,
  work: () => Promise<Watch | undefined>,
): Promise<Watch | undefined> {
  try {
    return await retryingConflicts(work);
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    ports.report('watch_evaluation_failed', { ...id, error });
    return undefined;
  }
}

/** The evaluated watch. A failed evaluation sets `brokenSince`, and the next success clears it. */
async function evaluate(
  ports: RunContractsPorts,
  evaluation: Evaluation,
  watch: Watch,
): Promise<Watch> {
  // Read before the clock's snapshot: an observation that it misses is never older than `now`.
  const now = ports.now();
  const snapshot = await withRecorded(ports, evaluation, watch);
  try {
    // Without its past, a move over a window would look finished.
    if (evaluation.pastSince === 'unreadable' && lookBackOf(watch) > 0) {
      throw new UnreadableError('the past', 'see history_unreadable');
    }
    const { view: record, cadenceMinutes } = evaluation;
    const evaluated = awaitFirstValue(evaluateWatch(watch, snapshot, { now, cadenceMinutes }), {
      record,
      snapshot,
      now,
    });
    if (evaluated.brokenSince === undefined) return evaluated;
    const { brokenSince: _mended, ...sound } = evaluated;
    return sound;
  } catch (error) {
    const { tenant, list, rule, contract } = watch;
    ports.report('watch_evaluation_failed', { tenant, list, rule, contract, error });
    return watch.brokenSince === undefined ? { ...watch, brokenSince: now } : watch;
  }
}

/**
 * The snapshot with the recorded prices that a watch needs: those since its episode began and since
 * its timer. For a metric of the clock it is read again.
 */
async function withRecorded(
  ports: RunContractsPorts,
  { view, snapshot, pastSince }: Evaluation,
  watch: Watch,
): Promise<Snapshot> {
  let parts = snapshot.parts;
  if (isClock(watch.ruleCondition.metric)) {
    // A clock runs on while an evaluation is frozen: it counts from all that is recorded at this
    // moment.
    const reported = (await ports.getContract(view.contract)) ?? view;
    for (const part of partsOfWatch(watch))
      parts = { ...parts, [part]: partSnapshot(reported, part) };
    return { ...snapshot, parts };
  }
  const since = earliest([watch.firedAt, wakeAt(watch)]);
  if (since === undefined) return snapshot;
  for (const part of partsOfWatch(watch)) {
    const known = parts[part];
    const newest = known?.newest?.point.time;
    if (known === undefined || newest === undefined || newest <= since) continue;
    const start = part === 'floor' ? pastNeededAt(since, lookBackOf(watch)) : since;
    if (part === 'floor' && typeof pastSince === 'number' && pastSince <= start) continue;
    const recorded = await recordedSince(ports, view, part, start);
    if (recorded !== undefined) parts = { ...parts, [part]: { ...known, recorded } };
  }
  return { ...snapshot, parts };
}

/** Recorded prices; undefined, with a report, if one of them is unreadable. */
async function recordedSince(
  ports: RunContractsPorts,
  { contract }: ContractRecord,
  part: Part,
  instant: Instant,
) {
  try {
    return await ports.recordedSince(contract, part, instant);
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    ports.report('history_unreadable', { contract, error });
    return undefined;
  }
}

/**
 * Removes the evaluated observations from the contract's record, and each `wanted` part that was
 * answered after its instant. Records the data time up to which window expiries are evaluated.
 */
async function checkpoint(
  ports: RunContractsPorts,
  record: ContractRecord,
  evaluation: Evaluation,
): Promise<void> {
  let known: ContractRecord | undefined = record;
  while (known !== undefined) {
    const next = withoutEvaluated(known, evaluation);
    if (isDeepStrictEqual(next, known)) return;
    try {
      await ports.putContract(next);
      return;
    } catch (error) {
      if (!(error instanceof VersionConflictError)) throw error;
      known = await ports.getContract(record.contract);
    }
  }
}

function withoutEvaluated(known: ContractRecord, evaluation: Evaluation): ContractRecord {
  const unmet = wantedOf(known).filter(([part, after]) => {
    const answeredAt = evaluation.view.parts[part]?.answeredAt;
    return known.parts[part] !== undefined && !(answeredAt !== undefined && answeredAt > after);
  });
  const { windowExpiries: _before, ...rest } = known;
  const windowExpiries = windowExpiriesAfter(known, evaluation);
  return {
    ...rest,
    unevaluated: known.unevaluated.filter(({ seq }) => seq > evaluation.upTo),
    wanted: Object.fromEntries(unmet),
    ...(windowExpiries === undefined ? {} : { windowExpiries }),
  };
}

/**
 * The data time up to which an evaluation covers the window expiries of all watches. Conditions
 * that must hold together need an answer of each part, so the earliest answer is the limit.
 */
function windowExpiriesUntil(view: ContractRecord): Instant | undefined {
  const floorAnsweredAt = view.parts.floor?.answeredAt;
  const isTogether = view.thresholdIndexes.some(({ metric }) => metric === 'all');
  if (floorAnsweredAt === undefined || !isTogether) return floorAnsweredAt;
  return earliest(partsOf(view).map(([, { answeredAt }]) => answeredAt));
}

/** The data time up to which window expiries are evaluated, and when the next one comes. */
function windowExpiriesAfter(
  known: ContractRecord,
  { view, snapshot }: Evaluation,
): ContractRecord['windowExpiries'] {
  const windows = windowsOf(known.thresholdIndexes);
  if (windows.length === 0) return undefined;
  // A continuation that finds a newer answer leaves window expiries to the evaluation of that
  // answer.
  const isNewer = snapshot.parts.floor?.answeredAt === undefined;
  const evaluated = isNewer ? undefined : windowExpiriesUntil(view);
  if (evaluated === undefined) return known.windowExpiries;
  const until = Math.max(evaluated, known.windowExpiries?.until ?? evaluated);
  const floors = knownOf(snapshot, ['floor']).get('floor') ?? [];
  const nextAt = earliest(
    windows.flatMap((window) =>
      windowExpiriesBetween(window, floors, until, Number.POSITIVE_INFINITY),
    ),
  );
  return { until, ...(nextAt === undefined ? {} : { nextAt }) };
}

type From = NonNullable<EvaluateMessage['from']>;

async function goOnLater(
  ports: RunContractsPorts,
  { contract, version }: ContractRecord,
  cadenceMinutes: number,
  from: From,
): Promise<void> {
  ports.report('evaluation_continued', { contract, upTo: from.upTo });
  const message = { kind: 'evaluate' as const, contract, cadenceMinutes, from };
  await ports.sendToContracts([{ message, deduplication: JSON.stringify([message, version]) }]);
}

/**
 * The index ranges from the one at which an evaluation stopped; all of them if that one no longer
 * exists.
 */
function remaining(
  indexRanges: readonly IndexRange[],
  from: From | undefined,
): readonly IndexRange[] {
  const start =
    from === undefined ? -1 : indexRanges.findIndex((indexRange) => isAt(indexRange, from));
  return start === -1 ? indexRanges : indexRanges.slice(start);
}

function isAt(indexRange: IndexRange, { thresholdIndex, metric, unit, minSources }: From): boolean {
  return (
    indexRange.thresholdIndex === thresholdIndex &&
    indexRange.metric === metric &&
    indexRange.unit === unit &&
    indexRange.minSources === minSources
  );
}

/**
 * Where the evaluation stopped within an index range; undefined if the range's value has changed
 * since.
 */
function positionOn(indexRange: IndexRange, from: From | undefined): From['after'] {
  const same =
    from !== undefined && isAt(indexRange, from) && from.value === indexRange.value.toString();
  return same ? from.after : undefined;
}

function nameOf(indexRange: IndexRange): Omit<From, 'upTo' | 'answered' | 'after'> {
  const { thresholdIndex, value } = indexRange;
  return { thresholdIndex, ...thresholdIndexNameOf(indexRange), value: value.toString() };
}
