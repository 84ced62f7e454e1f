import { type AlertKind, alertId } from '#shared/domain/alerting/alert.ts';
import { alertText, type WordlessAlert } from '#shared/domain/alerting/alert-text.ts';
import { type Decimal, formatDecimal } from '#shared/domain/market/decimal.ts';
import {
  formatDuration,
  formatInstant,
  HOUR,
  type Instant,
  MINUTE,
} from '#shared/domain/market/instant.ts';
import type { Observation, PricePoint } from '#shared/domain/market/point.ts';
import type { Meaning } from './alert-rule.ts';
import { readMetric } from './metric.ts';
import type { Watch, WatchState } from './watch.ts';

/** What a look knows of the part that a watch is about. */
export type Evidence = {
  /** The newest observation of the part, judged or not. */
  readonly newest: Observation | undefined;
  /** Observations of the part that no finished look has judged, in order. */
  readonly unjudged: readonly Observation[];
  /** When the last answer for the part was asked for. */
  readonly answeredAt: Instant | undefined;
};

/** The moment of a look, and what makes a transition late. */
export type LookTime = { readonly now: Instant; readonly cadenceMinutes: number };

/** Hourly data of an hour-old vendor cache are not late. */
const VENDOR_DELAY = HOUR;
/** After this the dispatcher sends the list's actor again. */
const OUTBOX_PATIENCE = 2 * MINUTE;

/**
 * Judges a watch by every observation it has not judged yet, in order, and puts the alerts of its
 * transitions into its outbox. The same watch comes back when nothing moved.
 */
export function judgeWatch(watch: Watch, evidence: Evidence, time: LookTime): Watch {
  if (watch.admin !== 'enabled') return watch;
  return toJudge(watch, evidence).reduce(
    (judged, observation) => judge(judged, observation, time),
    watch,
  );
}

/**
 * The observations a watch has yet to judge.
 *
 * A new watch starts with the newest of an answer that was asked for after the watch came to be:
 * what lies before that happened before anyone watched.
 */
function toJudge(watch: Watch, { newest, unjudged, answeredAt }: Evidence): readonly Observation[] {
  if (newest === undefined) return [];
  if (watch.state === 'unknown') {
    return answeredAt !== undefined && answeredAt > watch.since ? [newest] : [];
  }
  const waiting = unjudged.filter(({ seq }) => seq > watch.judgedSeq);
  if (waiting.length > 0) return waiting;
  return newest.seq > watch.judgedSeq ? [newest] : [];
}

function judge(watch: Watch, observation: Observation, time: LookTime): Watch {
  const { point, seq } = observation;
  if (watch.expiresAt !== undefined && point.time >= watch.expiresAt) return watch;
  const reading = readMetric(watch.meaning.metric, point);
  if (point.kind === 'price' && reading?.unit !== watch.meaning.unit) return watch;
  const next = nextState(watch.state, watch.meaning, reading?.value);
  if (next === watch.state) return watch;
  // A watch that starts with what was there before it has missed nothing.
  const late = watch.state !== 'unknown' && isLate(point.time, time);
  const moved: Watch = { ...watch, state: next, stateSince: point.time, judgedSeq: seq };
  if (next === 'firing') {
    const fired = { ...moved, episode: moved.episode + 1, firedAt: point.time };
    return withAlert(fired, 'fired', observation, { ...time, late });
  }
  if (watch.state !== 'firing') return moved;
  const { firedAt: _over, ...recovered } = moved;
  return watch.wording.notifyRecovery
    ? withAlert(recovered, 'recovered', observation, { ...time, late }, watch.firedAt)
    : recovered;
}

/**
 * The state a value leads to; `undefined` stands for "no trade left", which never fires: it ends a
 * `below` episode and gives an unknown watch its start.
 */
function nextState(state: WatchState, meaning: Meaning, value: Decimal | undefined): WatchState {
  if (value === undefined) {
    return state === 'unknown' || (state === 'firing' && meaning.when === 'below') ? 'ok' : state;
  }
  const beyond = isBeyond(meaning, value);
  switch (state) {
    case 'unknown':
      if (!beyond) return 'ok';
      return meaning.arm === 'cross' ? 'disarmed' : 'firing';
    case 'ok':
      return beyond ? 'firing' : 'ok';
    case 'disarmed':
      return beyond ? 'disarmed' : 'ok';
    case 'firing':
      return hasRecovered(meaning, value) ? 'ok' : 'firing';
  }
}

/** At the threshold counts. */
function isBeyond({ when, threshold }: Meaning, value: Decimal): boolean {
  return when === 'below' ? value <= threshold : value >= threshold;
}

function hasRecovered(meaning: Meaning, value: Decimal): boolean {
  const { when, recover } = meaning;
  if (recover === undefined) return !isBeyond(meaning, value);
  return when === 'below' ? value >= recover : value <= recover;
}

type TransitionTime = LookTime & { readonly late: boolean };

function isLate(dataTime: Instant, { now, cadenceMinutes }: LookTime): boolean {
  return now - dataTime > 2 * cadenceMinutes * MINUTE + VENDOR_DELAY;
}

function withAlert(
  watch: Watch,
  kind: AlertKind,
  observation: Observation,
  time: TransitionTime,
  firedAt?: Instant,
): Watch {
  const n = watch.alerts + 1;
  const alert = describe(watch, kind, n, observation, time, firedAt);
  return {
    ...watch,
    alerts: n,
    outbox: [...watch.outbox, { ...alert, text: alertText(alert, watch.wording.label) }],
    dueAt: watch.dueAt ?? time.now + OUTBOX_PATIENCE,
  };
}

function describe(
  watch: Watch,
  kind: AlertKind,
  n: number,
  { point, previous }: Observation,
  { now, late }: TransitionTime,
  firedAt: Instant | undefined,
): WordlessAlert {
  const { meaning, wording } = watch;
  const price = point.kind === 'price' ? point : undefined;
  const ended = kind === 'recovered' && firedAt !== undefined;
  return {
    id: alertId(watch, watch.generation, n),
    kind,
    tenant: watch.tenant,
    watchlist: watch.list,
    rule: watch.rule,
    contract: watch.contract,
    name: wording.name ?? null,
    metric: meaning.metric,
    when: meaning.when,
    threshold: formatDecimal(meaning.threshold),
    value: told(meaning, price),
    previous: told(meaning, previous),
    unit: meaning.unit,
    usd: price?.usd === undefined ? null : formatDecimal(price.usd),
    dataTime: formatInstant(point.time),
    late,
    source: price?.source ?? null,
    at: formatInstant(now),
    generation: watch.generation,
    episode: watch.episode,
    duration: ended ? formatDuration(point.time - firedAt) : null,
    extreme: null,
    severity: wording.severity,
  };
}

/** The metric's value at a point as text; null where the point has none in the rule's unit. */
function told({ metric, unit }: Meaning, point: PricePoint | undefined): string | null {
  const reading = point === undefined ? undefined : readMetric(metric, point);
  return reading?.unit === unit ? formatDecimal(reading.value) : null;
}
