import { isDeepStrictEqual } from 'node:util';
import {
  episodeToRead,
  evaluateByClock,
  evaluateSteps,
} from '#shared/domain/evaluation/evaluate-watch.ts';
import { indexRangesOf, losesValue } from '#shared/domain/evaluation/index-ranges.ts';
import type { Past } from '#shared/domain/evaluation/known-at-step.ts';
import type { Next } from '#shared/domain/evaluation/law.ts';
import {
  lookBackOf,
  thresholdIndexesOf,
  type Watch,
  type WatchId,
} from '#shared/domain/evaluation/watch.ts';
import { LAST_INSTANT, SECOND } from '#shared/domain/market/instant.ts';
import type { EvaluateMessage } from '#shared/domain/messages/contract-message.ts';
import { isClock } from '#shared/domain/metrics/metric.ts';
import { omit } from '#shared/domain/omit.ts';
import type { Page } from '#shared/domain/page.ts';
import {
  type ContractRecord,
  seriesIn,
  type Timers,
  WAKE_KINDS,
  type WakeKind,
} from '#shared/domain/polling/contract-record.ts';
import {
  type IndexRange,
  type ThresholdIndexPosition,
  thresholdIndexText,
} from '#shared/domain/rules/threshold-index.ts';
import { evaluatedTo } from '#shared/domain/timeline/timeline.ts';
import { UnreadableError } from '#shared/domain/unreadable.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { recordHistory } from '#shared/use-cases/record-history.ts';
import { retryingConflicts } from '#shared/use-cases/retrying-conflicts.ts';
import { waitForAll } from '#shared/use-cases/wait-for-all.ts';
import { applyWatchlist, sendApplyAgain } from './apply-watchlist.ts';
import { commitWatch, mostAlerts } from './commit-watch.ts';
import { type Evaluation, episodeOf, evaluationOn, listOf } from './evaluation.ts';
import type { RunContractsPorts } from './ports.ts';

/** If fewer milliseconds than this are left, another invocation continues the evaluation. */
const TIME_TO_STOP = 10 * SECOND;
const WATCHES_AT_ONCE = 10;

/**
 * Evaluates only watches whose thresholds are passed by steps of the contract, watches with due
 * timers, and watches of clock metrics. After all effects are in the table, removes the steps from
 * the contract's record.
 */
export async function evaluateWatches(
  ports: RunContractsPorts,
  record: ContractRecord,
  cadenceMinutes: number,
  from?: EvaluateMessage['from'],
): Promise<void> {
  const upTo = from?.upTo ?? record.timeline.seq;
  const [timers] = await waitForAll([
    ports.earliestTimers(record.contract),
    from === undefined ? recordHistory(ports, record) : Promise.resolve(),
  ]);
  const evaluation = await evaluationOn(ports, record, { upTo, cadenceMinutes, timers });
  const places = placesReached(ports, evaluation);
  const start = Math.max(
    0,
    places.findIndex(({ name }) => name === from?.place),
  );
  let [begun, isMoved] = [false, from !== undefined];
  const noting: RunContractsPorts = {
    ...ports,
    putWatch: async (watch) => {
      isMoved = true;
      return await ports.putWatch(watch);
    },
    commitWatch: async (transition) => {
      isMoved = true;
      return await ports.commitWatch(transition);
    },
  };
  const left = places.slice(start);
  const startOf = ({ name }: Place) => (name === from?.place ? from.after : undefined);
  const firstPages = await waitForAll(left.map((place) => place.page(startOf(place))));
  for (const [index, place] of left.entries()) {
    let after = startOf(place);
    let page = firstPages[index];
    do {
      if (begun && ports.remainingTime() < TIME_TO_STOP) {
        const stopped = { upTo, place: place.name, ...(after && { after }) };
        await goOnLater(ports, record, cadenceMinutes, stopped);
        return;
      }
      begun = true;
      const { entries, next } = page ?? (await place.page(after));
      await evaluateAll(noting, evaluation, entries);
      [after, page] = [next, undefined];
    } while (after !== undefined);
  }
  await checkpoint(ports, evaluation, isMoved ? undefined : timers);
}

/** A set of watches that an evaluation reads page by page. */
type Place = {
  /** The name of the set. A continuation of the evaluation finds the set by this name. */
  readonly name: string;
  readonly page: (
    after: ThresholdIndexPosition | undefined,
  ) => Promise<Page<WatchId, ThresholdIndexPosition>>;
};

function placesReached(ports: RunContractsPorts, evaluation: Evaluation): readonly Place[] {
  const { record, timers } = evaluation;
  const ranges = indexRangesOf(evaluation, ports.now()).map((range) => ({
    name: rangeText(range),
    page: (after: ThresholdIndexPosition | undefined) => ports.watchesReached(range, after),
  }));
  const last = losesValue(evaluation) ? LAST_INSTANT : ports.now();
  const until = (kind: WakeKind) => (kind === 'clock' ? ports.now() : last);
  const due = WAKE_KINDS.filter((kind) => {
    const earliest = timers[kind];
    return earliest !== undefined && earliest <= until(kind);
  });
  const woken = due.map((kind) => ({
    name: kind,
    page: (after: ThresholdIndexPosition | undefined) =>
      ports.watchesWoken(record.contract, kind, until(kind), after),
  }));
  return [...ranges, ...woken];
}

/** The name of a range, with its value, because pages of another value have other watches. */
function rangeText({ thresholdIndex, value, ...name }: IndexRange): string {
  return `${thresholdIndex} ${thresholdIndexText(name)} ${value}`;
}

async function evaluateAll(
  ports: RunContractsPorts,
  evaluation: Evaluation,
  ids: readonly WatchId[],
): Promise<void> {
  for (let start = 0; start < ids.length; start += WATCHES_AT_ONCE) {
    const together = ids.slice(start, start + WATCHES_AT_ONCE);
    await waitForAll(together.map((id) => evaluateOne(ports, evaluation, id)));
    await evaluation.waker.send();
  }
}

/** Evaluates and writes one watch. A failure is reported and does not affect other watches. */
async function evaluateOne(
  ports: RunContractsPorts,
  evaluation: Evaluation,
  id: WatchId,
): Promise<void> {
  await unlessUnreadable(ports, id, async () => {
    const watch = await ports.getWatch(id);
    if (watch === undefined) return;
    if (watch.state === 'unknown' && (await listOf(ports, evaluation, watch)) === undefined) {
      // A stale worker may have created the watch.
      await sendApplyAgain(ports, watch);
      return await applyListOf(ports, watch);
    }
    // The worker that created the watch stopped before it wrote the contract's record, and will be
    // retried. Until then the evaluation lacks the history that the watch's windows need.
    if (!isKnownTo(evaluation.record, watch)) return;
    const written = await transit(ports, evaluation, watch);
    // A concurrent evaluation may have read the watch in its old state and skipped it.
    const isOvertaken = isClock(watch.ruleCondition.metric) && written?.state !== watch.state;
    if (written !== undefined && isOvertaken) await evaluateOne(ports, evaluation, id);
  });
}

/**
 * Evaluates a watch and commits the result. If one transaction cannot hold all alerts, several
 * transactions are used, in order. If the rule was edited, the list is applied first and no alert
 * is created. Returns the watch if it was written.
 */
async function transit(
  ports: RunContractsPorts,
  evaluation: Evaluation,
  watch: Watch,
  most?: number,
): Promise<Watch | undefined> {
  const { watch: next, alerts, isPartial } = await evaluate(ports, evaluation, watch, most);
  if (next === watch) return undefined;
  if (alerts.length === 0) return await ports.putWatch(next);
  const list = await listOf(ports, evaluation, watch);
  if (list === undefined) {
    await applyListOf(ports, watch);
    return undefined;
  }
  const bound = mostAlerts(ports, list);
  if (most === undefined && alerts.length > bound) {
    return await transit(ports, evaluation, watch, bound);
  }
  const transition = { old: watch, watch: next, alerts, steps: evaluation.steps };
  const written = await commitWatch(ports, evaluation.waker, list, transition);
  return isPartial ? await transit(ports, evaluation, written, most) : written;
}

function isKnownTo({ thresholdIndexes }: ContractRecord, watch: Watch): boolean {
  const known = new Set(thresholdIndexes.map(thresholdIndexText));
  return thresholdIndexesOf(watch).every((thresholdIndex) =>
    known.has(thresholdIndexText(thresholdIndex)),
  );
}

/**
 * Applies the list of a watch before this evaluation removes its steps, so that no other worker can
 * write a state of the watch that is based on removed steps.
 */
async function applyListOf(
  ports: RunContractsPorts,
  { contract, tenant, list }: Watch,
): Promise<void> {
  await applyWatchlist(ports, { kind: 'apply', contract, tenant, list });
}

/** Reports a watch as failed if the watch or its list is unreadable. */
async function unlessUnreadable(
  ports: RunContractsPorts,
  id: WatchId,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await retryingConflicts(work);
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    ports.report('watch_evaluation_failed', { ...id, error });
  }
}

/** A watch after an evaluation; `isPartial` if steps are left to evaluate. */
type Evaluate = Next & { readonly isPartial?: true };

/** Evaluates a watch by the steps of the contract or by the clock. */
async function evaluate(
  ports: RunContractsPorts,
  evaluation: Evaluation,
  watch: Watch,
  most: number | undefined,
): Promise<Evaluate> {
  const { record, steps, past, cadenceMinutes } = evaluation;
  const now = ports.now();
  if (isClock(watch.ruleCondition.metric)) {
    // Lambda may have frozen the evaluation, so clock metrics use the latest record.
    const newest = (await ports.getContract(record.contract)) ?? record;
    return guarded(ports, watch, () => evaluateByClock(watch, { record: newest, past }, now));
  }
  const by = (known: Past) => () => {
    // Without the history, a change over a window would seem to have recovered.
    if (!evaluation.isPastReadable && lookBackOf(watch) > 0) {
      throw new UnreadableError('the past', 'see history_unreadable');
    }
    const bySteps = evaluateSteps(watch, steps, known, { now, cadenceMinutes }, most);
    if (bySteps.isPartial) return bySteps;
    const byClock = evaluateByClock(bySteps.watch, { record, past }, now);
    return { watch: byClock.watch, alerts: [...bySteps.alerts, ...byClock.alerts] };
  };
  const evaluated = guarded(ports, watch, by(past));
  const since = episodeToRead(watch, evaluated);
  if (since === undefined) return evaluated;
  return guarded(ports, watch, by(await episodeOf(ports, evaluation, watch, since)));
}

/**
 * Runs an evaluation. If it fails, the watch gets `brokenSince`, which the next success removes.
 */
function guarded(ports: RunContractsPorts, watch: Watch, work: () => Evaluate): Evaluate {
  try {
    const evaluated = work();
    if (evaluated.watch.brokenSince === undefined) return evaluated;
    const sound = omit(evaluated.watch, 'brokenSince');
    return { ...evaluated, watch: sound };
  } catch (error) {
    const { tenant, list, rule, contract } = watch;
    ports.report('watch_evaluation_failed', { tenant, list, rule, contract, error });
    const isKnown = watch.brokenSince !== undefined;
    return { watch: isKnown ? watch : { ...watch, brokenSince: ports.now() }, alerts: [] };
  }
}

/**
 * Removes the evaluated steps from the contract's record. Reads the timers again if a watch has
 * changed.
 */
async function checkpoint(
  ports: RunContractsPorts,
  evaluation: Evaluation,
  timers: Timers | undefined,
): Promise<void> {
  let known: ContractRecord | undefined = evaluation.record;
  let unmoved = timers;
  while (known !== undefined) {
    const earliest = unmoved ?? (await ports.earliestTimers(known.contract));
    unmoved = undefined;
    const next: ContractRecord = {
      ...known,
      timeline: evaluatedTo(known.timeline, evaluation.upTo),
      timers: { ...earliest, ...stillRequested(known.timers, evaluation) },
    };
    if (isDeepStrictEqual(next, known)) return;
    try {
      await ports.putContract(next);
      return;
    } catch (error) {
      if (!(error instanceof VersionConflictError)) throw error;
      known = await ports.getContract(known.contract);
    }
  }
}

/**
 * New watches wait until all series of the contract were answered after their creation. A failing
 * series does not delay new watches, because its next answer becomes a separate step.
 */
function stillRequested(
  { refreshRequested }: Timers,
  { record, steps }: Evaluation,
): Pick<Timers, 'refreshRequested'> {
  if (refreshRequested === undefined) return {};
  const sound = seriesIn(record).filter(([, { failures }]) => failures === undefined);
  const isAnswered = steps.some(({ answeredAt }) =>
    sound.every(([series]) => (answeredAt[series] ?? 0) > refreshRequested),
  );
  return isAnswered ? {} : { refreshRequested };
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
