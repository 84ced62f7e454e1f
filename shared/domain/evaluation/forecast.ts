import { formatInstant, type Instant } from '#shared/domain/market/instant.ts';
import { newestOf } from '#shared/domain/polling/contract-record.ts';
import { readSteps } from '#shared/domain/timeline/timeline.ts';
import { evaluateByClock, evaluateSteps } from './evaluate-watch.ts';
import type { EvaluationTime } from './law.ts';
import {
  comparisonInWords,
  HAS_ENDED,
  isMet,
  type MeasuredClause,
  measuredClausesOf,
  WAITS_FOR_MOVE,
} from './measured-clause.ts';
import { type Snapshot, stepNow } from './snapshot.ts';
import { endBefore, isEpisodeOpen, nextTimer, seriesOfWatch, type Watch } from './watch.ts';

/**
 * The effect of the next answer on a watch if no value changes. Some of the codes:
 * - `rests`: a value must change first
 * - `waits_for_move`: a percentage meets its condition only because its window moved
 * - `must_hold`, `must_be_confirmed`: the condition is met, but must hold for longer, or be
 *   confirmed by more values, before the watch fires
 */
export const FORECASTS = [
  'paused',
  'expired',
  'first_answer',
  'not_evaluated',
  'rests',
  'waits_for_move',
  'waits_for_crossing',
  'must_hold',
  'must_be_confirmed',
  'fires',
  'firing',
  'recovering',
  'recovers',
  'ended',
] as const;

export type Forecast = {
  readonly code: (typeof FORECASTS)[number];
  /** The code as a sentence for people. */
  readonly text: string;
  /** The next timer if the value stays the same: the end of `for`, or a reminder. */
  readonly at: Instant | undefined;
  readonly readings: readonly MeasuredClause[];
};

/**
 * Forecasts the next evaluation of a watch. It first evaluates the waiting steps, then a
 * hypothetical answer with unchanged values.
 */
export function forecastOf(watch: Watch, snapshot: Snapshot, time: EvaluationTime): Forecast {
  // A new watch uses only answers that were requested after its creation.
  const answeredAt = Math.max(time.now, watch.since + 1);
  const { record, past } = snapshot;
  const waiting = record === undefined ? [] : readSteps(record.timeline);
  const answer = { ...stepNow(record, answeredAt), at: Math.max(time.now, watch.since) };
  const byClock = evaluateByClock(watch, snapshot, answeredAt).watch;
  const evaluation = { ...time, now: answeredAt };
  const after = evaluateSteps(byClock, [...waiting, answer], past, evaluation).watch;
  const readings = measuredClausesOf(watch, snapshot, answeredAt);
  const code = codeOf(watch, after, snapshot, readings);
  return { code, text: inWords(code, after, readings), at: nextTimer(after), readings };
}

function codeOf(
  before: Watch,
  after: Watch,
  { record }: Snapshot,
  readings: readonly MeasuredClause[],
): Forecast['code'] {
  if (before.admin !== 'enabled') return before.admin === 'paused' ? 'paused' : 'expired';
  switch (after.state) {
    case 'unknown': {
      const isReported = seriesOfWatch(before).every(
        (series) => record !== undefined && newestOf(record, series) !== undefined,
      );
      return isReported ? 'not_evaluated' : 'first_answer';
    }
    case 'ok':
      if (isEpisodeOpen(before)) return 'recovers';
      if (readings.every((reading) => isMet(reading) === true)) {
        return after.ruleCondition.confirm === undefined ? 'waits_for_move' : 'must_be_confirmed';
      }
      return readings.some(restsBy) ? 'rests' : 'not_evaluated';
    case 'disarmed':
      return 'waits_for_crossing';
    case 'pending':
      return after.recentSamples === undefined ? 'must_hold' : 'must_be_confirmed';
    case 'firing':
      return after.episode > before.episode ? 'fires' : 'firing';
    case 'recovering':
    case 'ended':
      return after.state;
  }
}

/**
 * Whether a condition can be evaluated: its metric has a value, or the condition is false because
 * no sale is left in the window.
 */
function restsBy({ measured }: MeasuredClause): boolean {
  return measured.kind === 'value' || measured.why === 'no_sale';
}

function inWords(
  code: Forecast['code'],
  after: Watch,
  readings: readonly MeasuredClause[],
): string {
  const at = nextTimer(after);
  const until = at === undefined ? 'an unknown time' : formatInstant(at);
  switch (code) {
    case 'paused':
      return 'The rule is paused because `enabled` is false.';
    case 'expired':
      return 'The rule has expired because `expiresAt` has passed.';
    case 'first_answer':
      return 'Waiting for the first price.';
    case 'not_evaluated':
      return `The rule cannot be evaluated: ${whyUnmeasured(readings)}.`;
    case 'rests':
      return `${situation(readings)}. The rule waits until ${readings.length === 1 ? 'its condition is' : 'all its conditions are'} met.`;
    case 'waits_for_move':
      return `${situation(readings)}, but only because the window has moved, not the price: ${WAITS_FOR_MOVE}.`;
    case 'waits_for_crossing':
      return `${situation(readings)}. The rule waits for a new crossing because \`arm\` is \`cross\`.`;
    case 'must_hold': {
      const end = endBefore(after, at);
      return end === undefined
        ? `${situation(readings)}. The rule fires if the condition holds until ${until}.`
        : `${situation(readings)}. The rule expires on ${formatInstant(end)}, before the condition has held long enough.`;
    }
    case 'must_be_confirmed': {
      const { times, of } = after.ruleCondition.confirm ?? { times: 1, of: 1 };
      const counted = (after.recentSamples ?? []).filter(({ beyond }) => beyond).length;
      return `${situation(readings)}. The rule has ${counted} of ${times} confirmations among the last ${of} observations.`;
    }
    case 'fires':
      return `${situation(readings)}. The rule fires at the next poll unless the value no longer meets the condition by then.`;
    case 'firing':
      return `${situation(readings)}. The rule has fired, and its episode is open.`;
    case 'recovering':
      return `${situation(readings)}. The episode ends if the value stays recovered until ${until}.`;
    case 'recovers':
      return `${situation(readings)}. The episode ends at the next poll unless the value meets the condition again by then.`;
    case 'ended':
      return HAS_ENDED;
  }
}

/**
 * Describes the value of the first condition that does not hold. If all hold, describes the first
 * one.
 */
function situation(readings: readonly MeasuredClause[]): string {
  const unmet = readings.find((reading) => isMet(reading) === false);
  const met = readings.find((reading) => isMet(reading) === true);
  const reported = unmet ?? met;
  if (reported?.measured.kind !== 'value') {
    const reason = whyUnmeasured(readings);
    return reason.charAt(0).toUpperCase() + reason.slice(1);
  }
  const reading = comparisonInWords(reported, reported.measured.value);
  if (readings.length === 1) return reading;
  if (unmet !== undefined)
    return `At least one of the ${readings.length} conditions does not hold: ${reading}`;
  const isAll = readings.every((reading) => isMet(reading) === true);
  return isAll ? `All ${readings.length} conditions hold` : reading;
}

function whyUnmeasured(readings: readonly MeasuredClause[]): string {
  const none = readings.flatMap(({ measured }) => (measured.kind === 'none' ? measured.why : []));
  const [why = 'no_data'] = none;
  return UNMEASURED[why];
}

const UNMEASURED = {
  no_data: 'no price has been reported yet',
  unconfirmed: 'only one source reports the floor, and the rule waits for a second one',
  other_unit: "the price is not reported in the rule's currency",
  no_usd: 'the price is reported without its value in dollars',
  short_window: 'no price is recorded before the start of the window',
  no_sale: 'there is no sale in the window',
  no_offer: 'there is no collection offer',
  ignored: 'the lowest sale is below `ignoreBelow`, and no sale at or above `ignoreBelow` is known',
} as const;
