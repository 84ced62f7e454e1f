import * as z from 'zod';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { type Decimal, formatDecimal, parseDecimal } from '#shared/domain/market/decimal.ts';
import { DAY, type Instant } from '#shared/domain/market/instant.ts';
import { PARTS } from '#shared/domain/market/price-series.ts';
import { type OpenedToken, openToken, signToken } from '#shared/domain/signed-token.ts';
import type { AlertChart } from './alert-chart.ts';

/** How long the address of a chart works: as long as all prices before its moment are kept. */
const WORKS_FOR = 30 * DAY;

/**
 * A chart as part of an address: all that it says, which is in the message beside it. Whoever has it
 * may see the prices around its moment and nothing else. Undefined where it would be too long.
 */
export function chartToken(secret: string, chart: AlertChart, at: Instant): string | undefined {
  const { moment, from, episodeFrom = moment } = chart;
  const written = [
    ...[chart.contract, chart.part, chart.title, chart.subtitle, chart.value, chart.tone],
    ...[chart.unit, chart.thresholds.map(formatDecimal)],
    chart.recover === undefined ? null : formatDecimal(chart.recover),
    ...[chart.isOfSilence, moment, moment - from, moment - episodeFrom],
  ];
  return signToken(secret, 'chart', written, at + WORKS_FOR);
}

/** Reads the token of a chart that this stack has signed. */
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
      z.enum(PARTS),
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
      ([contract, part, title, subtitle, value, tone, unit, thresholds, recover, ...rest]) => {
        const [isOfSilence, moment, shown, lasted] = rest;
        return {
          ...{
            contract,
            part,
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
