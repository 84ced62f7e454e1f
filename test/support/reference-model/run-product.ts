import { evaluateSteps } from '#shared/domain/evaluation/evaluate-watch.ts';
import { indexRangesOf, losesValue } from '#shared/domain/evaluation/index-ranges.ts';
import type { Past } from '#shared/domain/evaluation/known-at-step.ts';
import {
  isEpisodeOpen,
  lookBackOf,
  nextWake,
  thresholdIndexesOf,
  thresholdIndexOf,
  type Watch,
  waitingOf,
  wakeAt,
} from '#shared/domain/evaluation/watch.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import { omit } from '#shared/domain/omit.ts';
import { newContractRecord } from '#shared/domain/polling/contract-record.ts';
import { AlertRule, repeatPolicyOf, ruleConditionOf } from '#shared/domain/rules/alert-rule.ts';
import { thresholdIndexText } from '#shared/domain/rules/threshold-index.ts';
import { appendPoll } from '#shared/domain/timeline/append-poll.ts';
import {
  evaluatedTo,
  newTimeline,
  type ReadStep,
  readSteps,
} from '#shared/domain/timeline/timeline.ts';
import {
  commit,
  createTimeline,
  type Timeline as OracleTimeline,
  recordedFloors,
} from '#test/simulation/oracle/timeline.ts';
import { aWatch, eth } from '#test/support/builders.ts';
import type { History } from './random-history.ts';
import type { ReferenceResult } from './reference-model.ts';
import { readAnswer } from './run-law.ts';

const MINUTE = 60_000;
const ETHEREUM = { name: 'eth', currency: 'eth' };

/**
 * Runs the product's timeline and law over a history; undefined for a rule that the product
 * rejects. A watch is evaluated only if the indexes find it. The recorded prices of windows come
 * from the oracle.
 */
export function runProduct({ rule: document, made, polls }: History): ReferenceResult | undefined {
  const rule = AlertRule.safeParse(document);
  if (!rule.success) return undefined;
  let watch: Watch = {
    ...aWatch({ since: made * MINUTE, state: 'unknown' }),
    ruleCondition: ruleConditionOf(rule.data, ETHEREUM as never),
    repeatPolicy: repeatPolicyOf(rule.data),
    presentation: { severity: 'warning', notifyRecovery: rule.data.notifyRecovery },
  };
  const alerts: ReferenceResult['alerts'][number][] = [];
  const madeSteps: ReferenceResult['steps'][number][] = [];
  const states: string[] = [];
  let timeline = newTimeline(0);
  let recorded = createTimeline();
  let isFirst = true;
  for (const poll of polls.filter(({ answered }) => answered)) {
    const asked = poll.now * MINUTE;
    const isMade = poll.now > made;
    const isDue = poll.otherTimer || (isMade && (isFirst || isTimerDue(watch, asked)));
    if (isMade) isFirst = false;
    const answer = readAnswer(poll, isDue);
    recorded = commit(recorded, answer).timeline;
    const floors = answer.floors.flatMap((floor) => withOldConfirmation(floor, timeline.before));
    const answeredAt = Object.fromEntries(answer.answered.map((series) => [series, asked]));
    const answers = { asked, answeredAt, floors, latest: answer.sales as never };
    const appended = appendPoll(timeline, answers, isDue);
    const steps = readSteps(appended);
    const time = { now: asked, cadenceMinutes: 1 };
    const past = pastOf(recorded);
    const next = isReached(watch, steps, past, asked)
      ? evaluateSteps(watch, steps, past, time)
      : { watch, alerts: [] };
    watch = next.watch;
    timeline = evaluatedTo(appended, appended.seq);
    states.push(stateOf(watch));
    alerts.push(
      ...next.alerts.map(
        ({ kind, dataTime, value }) =>
          [
            kind,
            Date.parse(dataTime) / MINUTE,
            value === null ? null : String(eth(value)),
          ] as const,
      ),
    );
    madeSteps.push(
      ...steps
        .filter(({ forTimers }) => forTimers !== true)
        .map(
          ({ at, points }) =>
            [
              at / MINUTE,
              Object.keys(points)
                .map((name) => name.replace('lowest', 'sale'))
                .toSorted(),
            ] as const,
        ),
    );
  }
  return { alerts, steps: madeSteps, states };
}

/**
 * Whether an evaluation reads a watch: by its index position, its timer, or because a value became
 * unknown.
 */
function isReached(watch: Watch, steps: readonly ReadStep[], past: Past, now: Instant): boolean {
  const contract = { ...newContractRecord(watch.contract, now) };
  const record = { ...contract, thresholdIndexes: thresholdIndexesOf(watch) };
  const evaluated = { record, steps, past };
  const waiting = waitingOf(watch);
  const own = thresholdIndexText(thresholdIndexOf(watch));
  const isAt = indexRangesOf(evaluated, now)
    .filter((range) => thresholdIndexText(range) === own)
    .some(({ thresholdIndex, value }) => {
      const number = waiting[thresholdIndex];
      if (number === undefined) return false;
      return thresholdIndex === 'falling' ? value <= number : value >= number;
    });
  const wake = nextWake(watch);
  return isAt || (wake !== undefined && (wake.at <= now || losesValue(evaluated)));
}

function isTimerDue(watch: Watch, asked: Instant): boolean {
  const slides = isEpisodeOpen(watch) && lookBackOf(watch) > 0;
  return slides || (wakeAt(watch) ?? Number.POSITIVE_INFINITY) <= asked;
}

/**
 * While points are counted for `confirm`, a watch is pending in the product, but `ok` in the model.
 */
function stateOf({ state, recentSamples }: Watch): string {
  return state === 'pending' && recentSamples !== undefined ? 'ok' : state;
}

/** The record keeps the confirmation of a floor: a repeated report does not withdraw it. */
function withOldConfirmation(floor: object, reading: object): readonly PricePoint[] {
  const { agreed } = reading as { agreed?: PricePoint };
  const point = { kind: 'price', ...floor } as PricePoint;
  const isSame =
    agreed?.kind === 'price' &&
    agreed.isWithheld === undefined &&
    agreed.time === point.time &&
    agreed.price === point.price &&
    agreed.currency === point.currency &&
    agreed.usd === point.usd;
  const confirmedBy = point.confirmedBy ?? (isSame ? agreed.confirmedBy : undefined);
  return [confirmedBy === undefined ? point : { ...point, confirmedBy }];
}

function pastOf(timeline: OracleTimeline): Past {
  const { reported, floor } = recordedFloors(timeline);
  const accepted = new Map(floor.map((point) => [point.time, point]));
  const points = reported.map((point) => {
    const known = accepted.get(point.time);
    const price = omit(known ?? point, 'confirmedBy');
    const by = point.confirmedBy === undefined ? {} : { confirmedBy: point.confirmedBy };
    return { ...price, ...by, observedAs: known ? 'price' : 'suspect' } as PricePoint;
  });
  return { recorded: new Map([['floor', points]]) };
}
