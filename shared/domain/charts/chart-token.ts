import * as z from 'zod';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { type Decimal, formatDecimal, parseDecimal } from '#shared/domain/market/decimal.ts';
import { DAY, type Instant } from '#shared/domain/market/instant.ts';
import { PRICE_SERIES_NAMES } from '#shared/domain/market/price-series.ts';
import { type OpenedToken, openToken, signToken } from '#shared/domain/signed-token.ts';
import type { AlertChart } from './alert-chart.ts';

/** How long a chart's URL is valid. All prices of the chart are stored for at least this time. */
const WORKS_FOR = 30 * DAY;

/**
 * A chart as a token in a URL. It contains nothing that the alert's message does not contain, and
 * allows access only to the prices before the alert. Undefined if it would be too long.
 */
export function chartToken(secret: string, chart: AlertChart, at: Instant): string | undefined {
  const { moment, from, episodeFrom = moment } = chart;
  const written = [
    ...[chart.contract, chart.series, chart.title, chart.subtitle, chart.value, chart.tone],
    ...[chart.unit, chart.thresholds.map(formatDecimal)],
    chart.recover === undefined ? null : formatDecimal(chart.recover),
    ...[chart.isOfSilence, moment, moment - from, moment - episodeFrom],
  ];
  return signToken(secret, 'chart', written, at + WORKS_FOR);
}

/** Verifies and reads a chart token. */
export function openChartToken(
  secret: string,
  token: string,
  now: Instant,
): OpenedToken<AlertChart> {
  return openToken(secret, 'chart', token, SignedChart, now);
}

const Price = z.string().transform((text, context): Decimal => {
  const price = parseDecimal(text);
  if (price !== undefined) return price;
  context.issues.push({ code: 'custom', input: text, message: 'expected a decimal' });
  return z.NEVER;
});

const SignedChart = z.lazy(() =>
  z
    .tuple([
      ContractKey,
      z.enum(PRICE_SERIES_NAMES),
      z.string(),
      z.string(),
      z.string(),
      z.enum(['info', 'warning', 'critical', 'resolved']),
      z.string(),
      z.array(Price).max(2),
      Price.nullable(),
      z.boolean(),
      z.int(),
      z.int().positive(),
      z.int().min(0),
    ])
    .transform(
      ([contract, series, title, subtitle, value, tone, unit, thresholds, recover, ...rest]) => {
        const [isOfSilence, moment, shown, lasted] = rest;
        return {
          ...{
            contract,
            series,
            title,
            subtitle,
            value,
            tone,
            unit,
            thresholds,
            isOfSilence,
            moment,
          },
          recover: recover ?? undefined,
          from: moment - shown,
          episodeFrom: lasted === 0 ? undefined : moment - lasted,
        } satisfies AlertChart;
      },
    ),
);
