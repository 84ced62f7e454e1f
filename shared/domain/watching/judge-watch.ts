import { type AlertKind, alertId } from '#shared/domain/alerting/alert.ts';
import {
  alertText,
  type RuleWords,
  type WordlessAlert,
} from '#shared/domain/alerting/alert-text.ts';
import { type Decimal, formatDecimal } from '#shared/domain/market/decimal.ts';
import { formatDuration } from '#shared/domain/market/duration.ts';
import { formatInstant, HOUR, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type { Observation, Point, PricePoint } from '#shared/domain/market/point.ts';
import { conditionText, isLimit, type Meaning, recoveryText } from './alert-rule.ts';
import { hasRecovered, isBeyond, passedLine, positionOf } from './condition.ts';
import { readMetric } from './metric.ts';
import { posted } from './outbox.ts';
import { nextInstant, nextStep, type Watch, type WatchState } from './watch.ts';

/** What a look knows of the part that a watch is about. */
export type Evidence = {
  /** The newest observation of the part, judged or not. */
  readonly newest: Observation | undefined;
  /** Observations of the part that no finished look has judged, in order. */
  readonly unjudged: readonly Observation[];
  /** When the last answer for the part was asked for. */
  readonly answeredAt: Instant | undefined;
  /** Recorded prices since the open episode began, and around the instants of the watch. */
  readonly recorded?: readonly PricePoint[];
};

/** The moment of a look, and what makes a transition late. */
export type LookTime = { readonly now: Instant; readonly cadenceMinutes: number };

/** Hourly data of an hour-old vendor cache are not late. */
const VENDOR_DELAY = HOUR;

/**
 * Judges a watch by every observation it has not judged yet, and by every instant of its own that
 * has come, in the order of the data, and puts the alerts of its transitions into its outbox. The
 * same watch comes back when nothing moved.
 *
 * An instant is judged once an answer asked for at or after it is in, with the value that held
 * then. At one time, observations come before instants.
 */
export function judgeWatch(watch: Watch, evidence: Evidence, time: LookTime): Watch {
  if (watch.admin !== 'enabled') return watch;
  const judged = toJudge(watch, evidence).reduce(
    (before, observation) =>
      observe(
        passInstants(before, observation.point.time - 1, evidence, time),
        observation,
        evidence,
        time,
      ),
    watch,
  );
  return passInstants(judged, evidence.answeredAt ?? 0, evidence, time);
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

/** Something that moves a watch: an observation, or an instant with the point that held then. */
type Cause = {
  readonly point: Point;
  readonly previous?: PricePoint | undefined;
  readonly dataTime: Instant;
  readonly late: boolean;
  readonly now: Instant;
  /** All that is known of the part in the time that matters. */
  readonly known: readonly Point[];
};

/** Lets the watch's own instants pass, up to and including a limit. */
function passInstants(watch: Watch, limit: Instant, evidence: Evidence, time: LookTime): Watch {
  let passed = watch;
  for (;;) {
    const instant = nextInstant(passed);
    if (instant === undefined || instant > limit || hasExpired(passed, instant)) return passed;
    const known = knownPoints(evidence);
    const point = heldAt(instant, known);
    if (point === undefined) return passed;
    const late = isLate(instant, time);
    passed = pass(passed, { point, dataTime: instant, late, now: time.now, known });
  }
}

/** What an instant does to a watch whose value has not changed until then. */
function pass(watch: Watch, cause: Cause): Watch {
  if (watch.state === 'pending') return fire(watch, cause);
  if (watch.state === 'recovering') return recover(watch, cause);
  return withAlert({ ...watch, remindedAt: cause.dataTime }, 'reminder', cause);
}

function knownPoints({ newest, unjudged, recorded = [] }: Evidence): readonly Point[] {
  return [
    ...recorded,
    ...unjudged.map(({ point }) => point),
    ...(newest === undefined ? [] : [newest.point]),
  ];
}

/** The point that held at an instant. */
function heldAt(instant: Instant, points: readonly Point[]): Point | undefined {
  return points
    .filter((point) => point.time <= instant)
    .reduce<Point | undefined>(
      (held, point) => (held === undefined || point.time >= held.time ? point : held),
      undefined,
    );
}

/** What an observation does to a watch. */
function observe(
  watch: Watch,
  { point, previous, seq }: Observation,
  evidence: Evidence,
  time: LookTime,
): Watch {
  if (hasExpired(watch, point.time)) return watch;
  const { condition, metric, unit } = watch.meaning;
  const reading = readMetric(metric, point);
  if (point.kind === 'price' && reading?.unit !== unit) return watch;
  // A watch that starts with what was there before it has missed nothing.
  const late = watch.state !== 'unknown' && isLate(point.time, time);
  const known = knownPoints(evidence);
  const cause: Cause = { point, previous, dataTime: point.time, late, now: time.now, known };
  if (reading === undefined) return withoutValue(watch, cause, seq);
  const position = sideOf(watch, positionOf(condition, reading.value));
  const moved = move(watch, reading.value, position, cause);
  if (moved === watch && position === watch.position) return watch;
  return { ...moved, judgedSeq: seq, ...(position === undefined ? {} : { position }) };
}

/** A value at the line to be crossed keeps the side it came from. */
function sideOf(watch: Watch, position: Watch['position']): Watch['position'] {
  const keeps = watch.meaning.condition.when === 'crosses' && position === 'within';
  return keeps ? (watch.position ?? position) : position;
}

/**
 * "No trade left" never fires: it ends a `below` episode, and gives a new watch of a line its
 * start. A band or a line to be crossed waits on: nothing stands anywhere against it.
 */
function withoutValue(watch: Watch, cause: Cause, seq: number): Watch {
  const { condition } = watch.meaning;
  if (!isLimit(condition)) return watch;
  if (watch.state === 'unknown') return { ...entering(watch, 'ok', cause), judgedSeq: seq };
  const isOpen = watch.state === 'firing' || watch.state === 'recovering';
  if (condition.when !== 'below' || !isOpen) return watch;
  return { ...recover(watch, cause), judgedSeq: seq };
}

/** The laws of the states. */
function move(watch: Watch, value: Decimal, position: Watch['position'], cause: Cause): Watch {
  const { condition, arm, keepFor } = watch.meaning;
  const beyond = isBeyond(condition, value);
  switch (watch.state) {
    case 'unknown':
      if (!beyond) return entering(watch, 'ok', cause);
      return arm === 'cross' ? entering(watch, 'disarmed', cause) : trigger(watch, cause);
    case 'ok':
      if (condition.when === 'crosses') return cross(watch, position, cause);
      return beyond ? trigger(watch, cause) : watch;
    case 'disarmed':
      return beyond ? watch : entering(watch, 'ok', cause);
    case 'pending':
      return watch.ring === undefined
        ? keepPending(watch, beyond, cause)
        : count(watch, beyond, cause);
    case 'firing':
      if (!hasRecovered(condition, value)) return worsen(watch, value, cause);
      return keepFor === undefined ? recover(watch, cause) : entering(watch, 'recovering', cause);
    case 'recovering':
      return hasRecovered(condition, value) ? watch : entering(watch, 'firing', cause);
    case 'ended':
      return watch;
  }
}

/** The value has gone beyond: the rule fires, or waits until it has held long or often enough. */
function trigger(watch: Watch, cause: Cause): Watch {
  const { for: held, confirm } = watch.meaning;
  if (held !== undefined) return entering(watch, 'pending', cause);
  return confirm === undefined ? fire(watch, cause) : count({ ...watch, ring: [] }, true, cause);
}

function keepPending(watch: Watch, beyond: boolean, cause: Cause): Watch {
  return beyond ? watch : entering(watch, 'ok', cause);
}

/** Counts an observation among the last: enough of them beyond fire, none of them beyond rests. */
function count(watch: Watch, beyond: boolean, cause: Cause): Watch {
  const { times, of } = watch.meaning.confirm ?? { times: 1, of: 1 };
  const ring = [...(watch.ring ?? []), beyond].slice(-of);
  const beyonds = ring.filter(Boolean).length;
  if (beyonds >= times) return fire(watch, cause);
  if (beyonds === 0) return entering(watch, 'ok', cause);
  return watch.state === 'pending'
    ? { ...watch, ring }
    : { ...entering(watch, 'pending', cause), ring };
}

function fire(watch: Watch, cause: Cause): Watch {
  const fired = entering(watch, 'firing', cause);
  const episode = { episode: watch.episode + 1, firedAt: cause.dataTime };
  return withAlert({ ...fired, ...episode }, 'fired', cause);
}

/** Each further step from the value last told is told once more. */
function worsen(watch: Watch, value: Decimal, cause: Cause): Watch {
  const step = nextStep(watch);
  const isFurther =
    step !== undefined &&
    (watch.meaning.condition.when === 'below' ? value <= step : value >= step);
  return isFurther ? withAlert(watch, 'worsened', cause) : watch;
}

/** The episode is over; after the only one of a `once` rule there is no other. */
function recover(watch: Watch, cause: Cause): Watch {
  const { repeat } = watch.manner;
  const over = entering(watch, repeat === 'once' ? 'ended' : 'ok', cause);
  const told = watch.wording.notifyRecovery
    ? withAlert({ ...over, firedAt: watch.firedAt ?? cause.dataTime }, 'recovered', cause)
    : over;
  const { firedAt: _firedAt, lastTold: _lastTold, remindedAt: _reminded, ...rested } = told;
  return rested;
}

/** A crossing is one alert without an episode. */
function cross(watch: Watch, position: Watch['position'], cause: Cause): Watch {
  const crossed =
    watch.position !== undefined && watch.position !== 'within' && position !== watch.position;
  return crossed ? withAlert({ ...watch, stateSince: cause.dataTime }, 'fired', cause) : watch;
}

function entering(watch: Watch, state: WatchState, { dataTime }: Cause): Watch {
  const { ring: _counted, ...rest } = watch;
  return { ...rest, state, stateSince: dataTime };
}

function hasExpired({ expiresAt }: Watch, instant: Instant): boolean {
  return expiresAt !== undefined && instant >= expiresAt;
}

function isLate(dataTime: Instant, { now, cadenceMinutes }: LookTime): boolean {
  return now - dataTime > 2 * cadenceMinutes * MINUTE + VENDOR_DELAY;
}

function withAlert(watch: Watch, kind: AlertKind, cause: Cause): Watch {
  const n = watch.alerts + 1;
  const alert = describe(watch, kind, n, cause);
  const value = valueAt(watch.meaning, cause.point);
  const told = { ...watch, ...(value === undefined ? {} : { lastTold: value }), alerts: n };
  return posted(told, { ...alert, text: alertText(alert, ruleWords(watch)) }, cause.now);
}

function describe(watch: Watch, kind: AlertKind, n: number, cause: Cause): WordlessAlert {
  const { meaning, wording, firedAt } = watch;
  const price = cause.point.kind === 'price' ? cause.point : undefined;
  const position = price && positionIn(meaning, price);
  const lasted = kind === 'fired' || firedAt === undefined ? undefined : cause.dataTime - firedAt;
  return {
    id: alertId(watch, watch.generation, n),
    kind,
    tenant: watch.tenant,
    watchlist: watch.list,
    rule: watch.rule,
    contract: watch.contract,
    name: wording.name ?? null,
    metric: meaning.metric,
    when: meaning.condition.when,
    threshold: formatDecimal(passedLine(meaning.condition, position)),
    value: told(meaning, price),
    previous: told(meaning, cause.previous),
    unit: meaning.unit,
    usd: price?.usd === undefined ? null : formatDecimal(price.usd),
    dataTime: formatInstant(cause.dataTime),
    late: cause.late,
    source: price?.source ?? null,
    at: formatInstant(cause.now),
    generation: watch.generation,
    episode: meaning.condition.when === 'crosses' ? null : watch.episode,
    duration: lasted === undefined ? null : formatDuration(lasted),
    extreme: kind === 'recovered' ? extremeOf(watch, cause) : null,
    severity: wording.severity,
  };
}

/** The value of the episode that was furthest beyond the line, among those that are known. */
function extremeOf(
  { meaning, firedAt, lastTold }: Watch,
  { known, dataTime }: Cause,
): string | null {
  const { condition } = meaning;
  if (!isLimit(condition) || firedAt === undefined) return null;
  const values = known
    .filter(({ time }) => time >= firedAt && time <= dataTime)
    .flatMap((point) => valueAt(meaning, point) ?? []);
  const told = lastTold === undefined ? values : [lastTold, ...values];
  const [first, ...others] = told;
  if (first === undefined) return null;
  const isFurther = (value: Decimal, than: Decimal) =>
    condition.when === 'below' ? value < than : value > than;
  return formatDecimal(others.reduce((far, value) => (isFurther(value, far) ? value : far), first));
}

/** The rule in words: its label, its condition, and where it has recovered. */
function ruleWords({ meaning: { condition, unit }, wording }: Watch): RuleWords {
  const written = (value: Decimal | undefined) =>
    value === undefined ? undefined : formatDecimal(value);
  const lines = {
    when: condition.when,
    threshold: written('low' in condition ? undefined : condition.threshold),
    recover: written(isLimit(condition) ? condition.recover : undefined),
    low: written('low' in condition ? condition.low : undefined),
    high: written('low' in condition ? condition.high : undefined),
  };
  return {
    label: wording.label,
    condition: conditionText(lines, unit),
    recover: recoveryText(lines, unit),
  };
}

function positionIn(meaning: Meaning, price: PricePoint): Watch['position'] {
  const value = valueAt(meaning, price);
  return value === undefined ? undefined : positionOf(meaning.condition, value);
}

/** The metric's value at a point; undefined where the point has none in the rule's unit. */
function valueAt({ metric, unit }: Meaning, point: Point): Decimal | undefined {
  const reading = readMetric(metric, point);
  return reading?.unit === unit ? reading.value : undefined;
}

function told(meaning: Meaning, point: PricePoint | undefined): string | null {
  const value = point && valueAt(meaning, point);
  return value === undefined ? null : formatDecimal(value);
}
