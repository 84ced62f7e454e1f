import type { RuleAlert } from '#shared/domain/alerting/alert.ts';
import { evaluateByClock, evaluateSteps } from '#shared/domain/evaluation/evaluate-watch.ts';
import type { Past } from '#shared/domain/evaluation/known-at-step.ts';
import { nextWake, type Watch } from '#shared/domain/evaluation/watch.ts';
import { contractOf } from '#shared/domain/market/contract.ts';
import { HOUR, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type { Point, PricePoint } from '#shared/domain/market/point.ts';
import { PRICE_SERIES_NAMES, type PriceSeriesName } from '#shared/domain/market/price-series.ts';
import { type ContractRecord, newContractRecord } from '#shared/domain/polling/contract-record.ts';
import { AlertRule, repeatPolicyOf, ruleConditionOf } from '#shared/domain/rules/alert-rule.ts';
import { appendPoll, type PollAnswers } from '#shared/domain/timeline/append-poll.ts';
import { recordedPoints } from '#shared/domain/timeline/recorded-points.ts';
import { evaluatedTo, type ReadStep, readSteps } from '#shared/domain/timeline/timeline.ts';
import { type Held, holdingOf } from '#shared/domain/watchlists/holding.ts';
import { answeredBy, aPrice, aWatch, eth, instant, NOON, PUNKS } from './builders.ts';

/** A watch after some polls, with its contract and all alerts so far. */
export type Polled = {
  readonly watch: Watch;
  readonly record: ContractRecord;
  readonly recorded: ReadonlyMap<PriceSeriesName, readonly PricePoint[]>;
  readonly alerts: readonly RuleAlert[];
  /** The steps of the last poll. */
  readonly steps: readonly ReadStep[];
};

/** A new watch of a rule in the form of the API, created at 11:59 by default. */
export function aPolledWatch({
  made = '11:59',
  held,
  ...rule
}: {
  readonly made?: string;
  /** The holding of the contract. */
  readonly held?: Held;
  readonly [member: string]: unknown;
}): Polled {
  const metric = rule.all === undefined ? { metric: 'floor_price' } : {};
  const written = AlertRule.parse({ id: 'the-rule', ...metric, ...rule });
  const { expiresAt } = written;
  const watch: Watch = {
    ...aWatch({ state: 'unknown', since: timeOf(made) }),
    ruleCondition: ruleConditionOf(written, contractOf(PUNKS).chain, held && holdingOf(held)),
    repeatPolicy: repeatPolicyOf(written),
    presentation: { severity: written.severity, notifyRecovery: written.notifyRecovery },
    ...(expiresAt !== undefined && { expiresAt: instant(expiresAt) }),
  };
  const series = Object.fromEntries(PRICE_SERIES_NAMES.map((name) => [name, {}]));
  const record = { ...newContractRecord(PUNKS, 0), series };
  return { watch, record, recorded: new Map(), alerts: [], steps: [] };
}

/**
 * Polls a contract once for each line, and evaluates the watch after each poll.
 *
 * A line is the time of the poll, followed by floors and sales, which commas separate:
 *
 * - `12:30 59`: a floor with the data time 12:30
 * - `12:30 59@12:10, 60@12:20`: floors with earlier data times
 * - `12:30 59 confirmed`: a floor that a second source also reports
 * - `12:30 59 usdc`, `12:30 59 $177000`: a floor in another currency, or with its price in dollars
 * - `12:30 sale 50@09:00`, `12:30 no sale`: the lowest sale of the last day
 * - `12:30 3 sold`: the number of sales of the last day
 * - `12:30`: an answer that reports nothing new
 * - `12:30 down`: no answer
 */
export function poll(before: Polled, ...lines: readonly string[]): Polled {
  return lines.reduce(pollOnce, before);
}

/**
 * The alerts of a rule after some polls: the data time, the kind, and the value if there is one.
 */
export function alertsOf(
  rule: Parameters<typeof aPolledWatch>[0],
  ...lines: readonly string[]
): readonly string[] {
  return textsOf(poll(aPolledWatch(rule), ...lines));
}

export function textsOf({ alerts }: Pick<Polled, 'alerts'>): readonly string[] {
  return alerts.map(({ dataTime, kind, value }) => {
    const words = [clockOf(instant(dataTime)), kind, value];
    return words.filter((word) => word !== null).join(' ');
  });
}

/** `14:30` on the day of the tests; hours from 24 on are on the following days. */
export function timeOf(clock: string): Instant {
  const [hours = 0, minutes = 0] = clock.split(':').map(Number);
  return NOON + (hours - 12) * HOUR + minutes * MINUTE;
}

export function clockOf(time: Instant): string {
  const minutes = (time - timeOf('00:00')) / MINUTE;
  return [Math.floor(minutes / 60), minutes % 60]
    .map((number) => String(number).padStart(2, '0'))
    .join(':');
}

function pollOnce(before: Polled, line: string): Polled {
  const [clock = '', rest = ''] = /^(\S+) ?(.*)$/.exec(line)?.slice(1) ?? [];
  const asked = timeOf(clock);
  const time = { now: asked, cadenceMinutes: 30 };
  const isAnswered = rest !== 'down';
  const { timeline } = before.record;
  const answered = isAnswered
    ? appendPoll(timeline, answersOf(asked, rest), isAwaited(before.watch, asked))
    : timeline;
  const recorded = withRecorded(before.recorded, answered);
  const past: Past = { recorded };
  const steps = readSteps(answered);
  const bySteps = evaluateSteps(before.watch, steps, past, time);
  const record = { ...before.record, timeline: evaluatedTo(answered, answered.seq) };
  const byClock = evaluateByClock(bySteps.watch, { record, past }, asked);
  const alerts = [...before.alerts, ...bySteps.alerts, ...byClock.alerts];
  return { watch: byClock.watch, record, recorded, alerts, steps };
}

/** Whether a poll that reports nothing new still makes a step. */
function isAwaited(watch: Watch, asked: Instant): boolean {
  const wake = nextWake(watch);
  return watch.state === 'unknown' || wake?.kind === 'window' || (wake?.at ?? asked + 1) <= asked;
}

function answersOf(asked: Instant, text: string): PollAnswers {
  const found = text === '' ? [] : text.split(', ').map((words) => pointOf(words, asked));
  return {
    ...answeredBy(asked),
    floors: found.flatMap(({ series, point }) =>
      series !== 'floor' || point.kind === 'empty' ? [] : [point],
    ),
    latest: Object.fromEntries(
      found.flatMap(({ series, point }) => (series === 'floor' ? [] : [[series, point]])),
    ),
  };
}

function pointOf(
  text: string,
  asked: Instant,
): { readonly series: PriceSeriesName; readonly point: Point } {
  if (text === 'no sale') return { series: 'lowest.1d', point: { kind: 'empty', time: asked } };
  const [, sold] = /^(\d+) sold$/.exec(text) ?? [];
  if (sold !== undefined) {
    return { series: 'sales.1d', point: aPrice(sold, { time: asked, currency: 'sales' }) };
  }
  const isSale = text.startsWith('sale ');
  const [number = '', ...marks] = text.replace('sale ', '').split(' ');
  const [price = '', clock] = number.split('@');
  const time = clock === undefined ? asked : timeOf(clock);
  const dollars = marks.find((mark) => mark.startsWith('$'));
  const currency = marks.find((mark) => mark !== dollars && mark !== 'confirmed');
  const point = aPrice(price, {
    time,
    ...(isSale && { tradedAt: time }),
    ...(dollars !== undefined && { usd: eth(dollars.slice(1)) }),
    ...(currency !== undefined && { currency }),
    ...(marks.includes('confirmed') && { confirmedBy: 'coingecko' }),
  });
  return { series: isSale ? 'lowest.1d' : 'floor', point };
}

/**
 * The history with the prices of new steps. Of two prices at the same time, the later one is kept.
 */
function withRecorded(
  recorded: Polled['recorded'],
  timeline: ContractRecord['timeline'],
): Polled['recorded'] {
  return new Map(
    PRICE_SERIES_NAMES.map((series) => {
      const all = [...(recorded.get(series) ?? []), ...recordedPoints(timeline, series)];
      const byTime = new Map(all.map((point) => [point.time, point]));
      return [series, [...byTime.values()].toSorted((one, other) => one.time - other.time)];
    }),
  );
}
