import { createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { JsonText } from '#shared/domain/json-text.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { type Decimal, formatDecimal, parseDecimal } from '#shared/domain/market/decimal.ts';
import { DAY, type Instant } from '#shared/domain/market/instant.ts';
import { PARTS } from '#shared/domain/market/point.ts';
import type { AlertChart } from './alert-chart.ts';

/** How long the address of a chart works: as long as all prices before its moment are kept. */
const WORKS_FOR = 30 * DAY;
/** Of a token that chats take in an address. */
const LONGEST = 400;

/** What a token is: a chart, or one that has ended, or nothing that this stack has signed. */
export type OpenedToken =
  | { readonly kind: 'chart'; readonly chart: AlertChart; readonly endsAt: Instant }
  | { readonly kind: 'ended' }
  | { readonly kind: 'forged' };

/**
 * A chart as part of an address: all that it says, which is in the message beside it, and a
 * signature. Whoever has it may see the prices around its moment and nothing else. Undefined where it
 * would be too long.
 */
export function chartToken(secret: string, chart: AlertChart, at: Instant): string | undefined {
  const { moment, from, episodeFrom = moment } = chart;
  const written = [
    ...[chart.contract, chart.part, chart.title, chart.subtitle, chart.value, chart.tone],
    ...[chart.unit, chart.thresholds.map(formatDecimal)],
    chart.recover === undefined ? null : formatDecimal(chart.recover),
    ...[chart.isOfSilence, moment, moment - from, moment - episodeFrom, at + WORKS_FOR - moment],
  ];
  const body = Buffer.from(JSON.stringify(written)).toString('base64url');
  const token = `${body}.${signatureOf(secret, body).toString('base64url')}`;
  return token.length > LONGEST ? undefined : token;
}

/** Reads a token whose signature is right, and no other. */
export function openChartToken(secret: string, token: string, now: Instant): OpenedToken {
  const [, body = '', signature = ''] = FORM.exec(token) ?? [];
  const given = Buffer.from(signature, 'base64url');
  const right = signatureOf(secret, body);
  if (given.length !== right.length || !timingSafeEqual(given, right)) return { kind: 'forged' };
  const read = SignedChart.safeParse(Buffer.from(body, 'base64url').toString());
  // Another version has signed it.
  if (!read.success) return { kind: 'ended' };
  const { chart, endsAt } = read.data;
  return now < endsAt ? { kind: 'chart', chart, endsAt } : { kind: 'ended' };
}

const FORM = /^([\w-]{1,400})\.([\w-]{22})$/;

/** HMAC-SHA-256, of which half is enough (RFC 2104, 5). */
function signatureOf(secret: string, body: string): Buffer {
  return createHmac('sha256', secret).update(`chart.${body}`).digest().subarray(0, 16);
}

const Price = z.string().transform((text, context): Decimal => {
  const price = parseDecimal(text);
  if (price !== undefined) return price;
  context.issues.push({ code: 'custom', input: text, message: 'expected a decimal' });
  return z.NEVER;
});

const SignedChart = z.lazy(() =>
  JsonText.pipe(
    z.tuple([
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
      z.int(),
    ]),
  ).transform(
    ([contract, part, title, subtitle, value, tone, unit, thresholds, recover, ...rest]) => {
      const [isOfSilence, moment, shown, lasted, works] = rest;
      const chart: AlertChart = {
        ...{ contract, part, title, subtitle, value, tone, unit, thresholds, isOfSilence, moment },
        recover: recover ?? undefined,
        from: moment - shown,
        episodeFrom: lasted === 0 ? undefined : moment - lasted,
      };
      return { chart, endsAt: moment + works };
    },
  ),
);
