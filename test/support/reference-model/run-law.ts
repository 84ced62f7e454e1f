import type { RuleDocument } from '#test/simulation/invariants/documents.ts';
import { follow } from '#test/simulation/oracle/follow.ts';
import {
  observe,
  type Point,
  type PriceSeriesName,
  type StepRecord,
} from '#test/simulation/oracle/points.ts';
import { readRule } from '#test/simulation/oracle/read-rule.ts';
import { hasWindow, type OracleRule } from '#test/simulation/oracle/rule.ts';
import {
  type Answer,
  commit,
  createTimeline,
  type ReportedFloor,
  recordedFloors,
} from '#test/simulation/oracle/timeline.ts';
import {
  createWatchState,
  type ExpectedAlert,
  isInEpisode,
  nextTimer,
  type WatchState,
} from '#test/simulation/oracle/watch.ts';
import type { HistoricFloor, HistoricPoll, HistoricSale, History } from './random-history.ts';
import type { ReferenceResult } from './reference-model.ts';

const MINUTE = 60_000;
const PRICE_SERIES_NAMES: readonly PriceSeriesName[] = ['floor', 'lowest.1d', 'lowest.7d'];
const IN_OTHER_CURRENCY = { price: 30_000n * 10n ** 18n, currency: 'usdc' };

/**
 * Runs the oracle's timeline and law over a history; the results have the form of the reference
 * model.
 */
export function runLaw({ rule: document, made, polls }: History): ReferenceResult {
  const rule = readRule(withDefaults(document));
  const alerts: ExpectedAlert[] = [];
  const steps: StepRecord[] = [];
  const states: string[] = [];
  let watch = createWatchState(made * MINUTE);
  let timeline = createTimeline();
  let isFirst = true;
  for (const poll of polls.filter(({ answered }) => answered)) {
    const isMade = poll.now > made;
    const isTimerDue = poll.otherTimer || (isMade && isDue(rule, watch, poll, isFirst));
    if (isMade) isFirst = false;
    const committed = commit(timeline, readAnswer(poll, isTimerDue));
    const floors = recordedFloors(committed.timeline);
    const followed = follow(rule, watch, observe(timeline.reading, committed.steps, floors));
    timeline = committed.timeline;
    watch = followed.watch;
    states.push(watch.status);
    alerts.push(...followed.alerts);
    steps.push(...committed.steps.filter(({ forTimers }) => forTimers !== true));
  }
  return {
    alerts: alerts.map(({ kind, time, value }) => [
      kind,
      time / MINUTE,
      value === undefined ? null : String(value),
    ]),
    steps: steps.map(({ at, points }) => [
      at / MINUTE,
      Object.keys(points)
        .map((name) => name.replace('lowest', 'sale'))
        .toSorted(),
    ]),
    states,
  };
}

function isDue(
  rule: OracleRule,
  watch: WatchState,
  { now }: HistoricPoll,
  isFirst: boolean,
): boolean {
  const slides = hasWindow(rule) && isInEpisode(watch);
  return isFirst || slides || nextTimer(rule, watch) <= now * MINUTE;
}

export function readAnswer({ now, floors, sales }: HistoricPoll, isTimerDue: boolean): Answer {
  return {
    ...{ asked: now * MINUTE, answered: PRICE_SERIES_NAMES, isTimerDue },
    floors: floors.map(readFloor),
    sales: Object.fromEntries(
      Object.entries(sales).map(([days, sale]) => [`lowest.${days}`, readSale(sale)]),
    ),
  };
}

function readFloor({ time, value, usd, agreed }: HistoricFloor): ReportedFloor {
  return {
    time: time * MINUTE,
    ...priceOf(value),
    ...(usd === null ? {} : { usd: amountOf(usd) }),
    ...(agreed ? { confirmedBy: 'another source' } : {}),
  };
}

function readSale({ time, value, traded }: HistoricSale): Point {
  if (value === 'no_sale') return { kind: 'empty', time: time * MINUTE };
  const tradedAt = (traded ?? time) * MINUTE;
  return { kind: 'price', time: time * MINUTE, ...priceOf(value), tradedAt };
}

function priceOf(value: string) {
  return value === 'other_currency'
    ? IN_OTHER_CURRENCY
    : { price: amountOf(value), currency: 'eth' };
}

function amountOf(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(18, '0'));
}

function withDefaults(rule: History['rule']): RuleDocument {
  return {
    ...{ id: 'rule', since: 1, on: '*', enabled: true, severity: 'warning', arm: 'level' },
    ...{ outliers: 'confirm', notifyRecovery: true, repeat: 'every', noData: 'keep' },
    ...rule,
  };
}
