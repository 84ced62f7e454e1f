import type { Alert, AlertKind } from '#shared/domain/alerting/alert.ts';
import { dataAgain, missingFor, shortContract } from '#shared/domain/alerting/alert-words.ts';
import { episodeDuration } from '#shared/domain/alerting/episode.ts';
import { notificationTone, type Tone } from '#shared/domain/alerting/notification.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { type Decimal, parseDecimal } from '#shared/domain/market/decimal.ts';
import { DAY, HOUR, type Instant } from '#shared/domain/market/instant.ts';
import { withoutGlitches } from '#shared/domain/market/outlier.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import { type PriceSeriesName, priceSeries } from '#shared/domain/market/price-series.ts';
import {
  isClock,
  isPercent,
  isSigned,
  type Metric,
  StoredMetric,
  seriesOfMetric,
  shownSeries,
  windowOf,
} from '#shared/domain/metrics/metric.ts';
import { priceIn } from '#shared/domain/metrics/prices.ts';
import { metricName, valueInWords } from '#shared/domain/metrics/value-text.ts';
import { type AlertRule, clausesOf } from '#shared/domain/rules/alert-rule.ts';
import { shortened } from '#shared/domain/words.ts';
import type { PriceChart } from './price-chart.ts';

/** The content of an alert's chart, without the prices. */
export type AlertChart = {
  readonly contract: ContractKey;
  readonly series: PriceSeriesName;
  readonly title: string;
  readonly subtitle: string;
  /** The reported value in words; empty if there is none. */
  readonly value: string;
  readonly tone: Tone;
  /**
   * The currency of the thresholds. Empty if there are no thresholds; the chart then shows prices
   * in their own currency.
   */
  readonly unit: string;
  readonly thresholds: readonly Decimal[];
  readonly recover: Decimal | undefined;
  readonly from: Instant;
  readonly moment: Instant;
  readonly episodeFrom: Instant | undefined;
  /** Whether the alert is about missing data instead of a price. */
  readonly isOfSilence: boolean;
};

const WEEK = 7 * DAY;

/** The kinds of alerts about the prices of a contract. */
const OF_PRICES: readonly AlertKind[] = [
  ...([
    'fired',
    'worsened',
    'reminder',
    'recovered',
    'closed',
    'stale',
    'fresh',
    'escalated',
  ] as const),
];

/**
 * The chart of an alert; undefined for alerts without a price and for averages. The threshold that
 * the value passed is read from the alert. The other edge of a band and the recovery threshold are
 * read from the rule, if the rule is available and its threshold is still the same.
 */
export function alertChart(alert: Alert, rule: AlertRule | undefined): AlertChart | undefined {
  const contract = ContractKey.safeParse(alert.contract);
  const metric = StoredMetric.safeParse(alert.metric);
  if (!OF_PRICES.includes(alert.kind) || !contract.success || !metric.success) return undefined;
  if (isQuotient(metric.data)) return undefined;
  const moment = Date.parse(alert.dataTime);
  const lasted = episodeDuration(alert);
  const lines = hasLines(metric.data) ? linesOf(alert, metric.data, rule) : NO_LINES;
  const isLong = (windowOf(metric.data) ?? 0) > DAY || lasted > DAY;
  return {
    contract: contract.data,
    series: shownSeries(metric.data),
    title: titleOf(alert),
    subtitle: subtitleOf(alert, metric.data, lines.thresholds.length),
    value: alert.value === null ? '' : inWords(alert, alert.value),
    tone: notificationTone({ kind: 'alert', alert }),
    unit: hasLines(metric.data) ? (alert.unit ?? '') : '',
    ...lines,
    from: moment - (isLong ? WEEK : DAY),
    moment,
    episodeFrom: lasted === 0 ? undefined : moment - lasted,
    isOfSilence: isClock(metric.data),
  };
}

/** A chart with the recorded prices of its series. */
export function withPrices(
  { isOfSilence, ...chart }: AlertChart,
  recorded: readonly PricePoint[],
): PriceChart {
  const { moment, series, tone } = chart;
  const known = recorded.filter(({ time }) => time <= moment);
  const believed = priceSeries(series).hasGlitches ? withoutGlitches(known) : known;
  const unit = chart.unit === '' ? (believed.at(-1)?.currency ?? '') : chart.unit;
  const points = believed.flatMap((point) => {
    const price = priceIn(unit, point);
    return price.kind === 'value' ? [{ time: point.time, price: price.value }] : [];
  });
  const [before, last] = [points.at(-2), points.at(-1)];
  // If data have returned, the gap ends with the last point.
  const silentFrom = tone === 'resolved' ? before : last;
  const silentTo = tone === 'resolved' ? (last?.time ?? moment) : moment;
  const isSilent = isOfSilence && silentFrom !== undefined;
  return {
    ...chart,
    unit,
    // With few prices, the chart starts at the first one.
    from: Math.max(chart.from, Math.min(points[0]?.time ?? moment, moment - HOUR)),
    points,
    gaps: isSilent ? [{ from: silentFrom.time, to: silentTo }] : [],
  };
}

type Lines = Pick<AlertChart, 'thresholds' | 'recover'>;
const NO_LINES: Lines = { thresholds: [], recover: undefined };

/** Whether a metric divides one series by another, so that no recorded series has its values. */
function isQuotient(metric: Metric): boolean {
  return !isPercent(metric) && seriesOfMetric(metric).length > 1;
}

/**
 * Whether the thresholds of a metric are prices, so that the chart can draw them. The thresholds of
 * a gain are not prices.
 */
function hasLines(metric: Metric): boolean {
  return !isPercent(metric) && !isClock(metric) && !isSigned(metric);
}

function linesOf(alert: Alert, metric: Metric, rule: AlertRule | undefined): Lines {
  const passed = alert.threshold === null ? undefined : parseDecimal(alert.threshold);
  if (passed === undefined) return NO_LINES;
  const clauses = rule === undefined ? [] : clausesOf(rule);
  const clause = clauses.find((one) => one.metric === metric && one.when === alert.when);
  const [low, high] = [clause?.low, clause?.high].map((edge) => parseDecimal(edge ?? ''));
  if (low !== undefined && high !== undefined && (passed === low || passed === high)) {
    return { thresholds: [low, high], recover: undefined };
  }
  const isSame = clause?.threshold !== undefined && parseDecimal(clause.threshold) === passed;
  return {
    thresholds: [passed],
    recover: isSame ? parseDecimal(rule?.recover ?? '') : undefined,
  };
}

function subtitleOf(alert: Alert, metric: Metric, lines: number): string {
  const { when, threshold, open, value } = alert;
  if (isClock(metric))
    return capital(open === false ? dataAgain(metric) : missingFor(metric, value, threshold));
  const line = threshold === null ? '' : inWords(alert, threshold);
  const name = capital(metricName(metric));
  switch (when) {
    case 'below':
    case 'above':
      return `${name} at or ${when} ${line}`;
    case 'crosses':
      return `${name} crosses ${line}`;
    case 'outside':
    case 'inside':
      return `${name} ${when} ${lines === 2 ? 'its band' : `a band with an edge at ${line}`}`;
    case null:
      return name;
  }
}

function inWords({ metric, threshold, unit }: Alert, value: string): string {
  return valueInWords(metric ?? '', value, unit ?? '', [threshold]);
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/**
 * The characters outside the font. A name without drawable characters is replaced by the contract.
 */
const DRAWN =
  /[^\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\u0020-\u007e\u00a1-\u00ff–—‘’“”…•€]+/gu;
const TITLE = 30;

function titleOf({ name, contract }: Alert): string {
  const drawn = (name ?? '').normalize('NFKC').replace(DRAWN, ' ').replace(/ +/g, ' ').trim();
  const isReadable = /[\p{L}\p{N}]/u.test(drawn);
  return isReadable ? shortened(drawn, TITLE) : (shortContract(contract) ?? '');
}
