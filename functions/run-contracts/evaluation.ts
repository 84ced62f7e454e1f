import { type Evaluated, windowsOf } from '#shared/domain/evaluation/index-ranges.ts';
import { NO_PAST, type Past } from '#shared/domain/evaluation/known-at-step.ts';
import { lookBackOf, seriesOfWatch, type Watch } from '#shared/domain/evaluation/watch.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import { type PriceSeriesName, priceSeries } from '#shared/domain/market/price-series.ts';
import type { ContractRecord, Timers } from '#shared/domain/polling/contract-record.ts';
import { FLOOR_SERIES, readSteps, timesIn } from '#shared/domain/timeline/timeline.ts';
import { UnreadableError } from '#shared/domain/unreadable.ts';
import { isListed } from '#shared/domain/watchlists/apply-list.ts';
import type { Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import { createMessagesTo } from '#shared/use-cases/messages-to.ts';
import { oncePerList } from '#shared/use-cases/once-per-list.ts';
import { type Held, heldFor } from '#shared/use-cases/read-snapshot.ts';
import { type ChannelWaker, createChannelWaker } from '#shared/use-cases/wake-channels.ts';
import type { RunContractsPorts } from './ports.ts';

/** A contract's new steps with the data that their evaluation reads. */
export type Evaluation = Evaluated & {
  readonly upTo: number;
  readonly cadenceMinutes: number;
  /** The earliest timers of the contract's watches. */
  readonly timers: Timers;
  /**
   * The earliest instant at which a window may end: just before the oldest time of the steps and of
   * the floors that precede them.
   */
  readonly begin: Instant;
  /** Whether the recorded floors that windows need could be read. */
  readonly isPastReadable: boolean;
  /** Reads the document of a watch's list, once per list. */
  readonly getWatchlist: RunContractsPorts['getWatchlist'];
  readonly waker: ChannelWaker;
};

/** The evaluation of a contract, with the recorded floors of its windows. */
export async function evaluationOn(
  ports: RunContractsPorts,
  record: ContractRecord,
  asked: Pick<Evaluation, 'upTo' | 'cadenceMinutes' | 'timers'>,
): Promise<Evaluation> {
  const steps = readSteps(record.timeline).filter(({ seq }) => seq <= asked.upTo);
  const window = Math.max(0, ...windowsOf(record.thresholdIndexes));
  const times = timesIn(steps);
  const before = FLOOR_SERIES.flatMap((name) => steps[0]?.before[name]?.time ?? []);
  const begin = Math.min(ports.now(), ...times, ...before) - 1;
  const getWatchlist = oncePerList(ports.getWatchlist);
  const waker = createChannelWaker({ ...ports, messagesTo: createMessagesTo(getWatchlist) });
  const about = { ...asked, record, steps, begin, getWatchlist, waker };
  if (window === 0 || times.length === 0) return { ...about, past: NO_PAST, isPastReadable: true };
  const isAgreedRead = record.thresholdIndexes.some(({ minSources }) => minSources !== undefined);
  const held = isAgreedRead ? 'agreed' : 'reported';
  const recorded = await recordedSince(ports, record, 'floor', begin - window, held);
  const past: Past = {
    recorded: new Map([['floor', recorded ?? []]]),
    since: record.past?.since,
  };
  return { ...about, past, isPastReadable: recorded !== undefined };
}

/**
 * The document of a watch's list, if it contains the watch. Otherwise the watch must never alert: a
 * stale worker may have created it for a list that was deleted or changed since, or a change may
 * not have been applied yet.
 */
export async function listOf(
  { getWatchlist }: RunContractsPorts,
  evaluation: Evaluation,
  watch: Watch,
): Promise<Watchlist | undefined> {
  // The cached list may be older than the watch.
  for (const read of [evaluation.getWatchlist, getWatchlist]) {
    const list = await read({ tenant: watch.tenant, id: watch.list });
    if (list !== undefined && isListed(list, watch)) return list;
  }
  return undefined;
}

/**
 * The recorded prices of an episode, because the alert about its recovery reports the most extreme
 * value.
 */
export async function episodeOf(
  ports: RunContractsPorts,
  { record, past, begin }: Evaluation,
  watch: Watch,
  firedAt: Instant,
): Promise<Past> {
  const since = Math.min(firedAt, begin);
  const held = heldFor([watch]);
  const recorded = new Map(past.recorded);
  for (const series of seriesOfWatch(watch)) {
    const from = priceSeries(series).isComparedOverSpans ? since - lookBackOf(watch) : since;
    const points = await recordedSince(ports, record, series, from, held);
    if (points !== undefined) recorded.set(series, points);
  }
  return { ...past, recorded };
}

/** Recorded prices; undefined, with a report, if a price is unreadable. */
async function recordedSince(
  ports: RunContractsPorts,
  { contract }: ContractRecord,
  series: PriceSeriesName,
  instant: Instant,
  held: Held,
): Promise<readonly PricePoint[] | undefined> {
  try {
    return await ports.recordedSince(contract, series, instant, { held });
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    ports.report('history_unreadable', { contract, error });
    return undefined;
  }
}
