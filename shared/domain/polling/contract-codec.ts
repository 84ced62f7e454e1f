import * as z from 'zod';
import { defined } from '#shared/domain/defined.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import type { Point, PricePoint } from '#shared/domain/market/point.ts';
import { PRICE_SERIES_NAMES } from '#shared/domain/market/price-series.ts';
import { Provider } from '#shared/domain/market/provider.ts';
import { SkipReason } from '#shared/domain/market/skipped.ts';
import { StoredMetric } from '#shared/domain/metrics/metric.ts';
import { thresholdIndexText } from '#shared/domain/rules/threshold-index.ts';
import {
  type Reading,
  SERIES,
  type Step,
  type Timeline,
} from '#shared/domain/timeline/timeline.ts';
import { unknownAttributes, withUnknown } from '#shared/domain/unknown-attributes.ts';
import { type ContractRecord, type SeriesRecord, WAKE_KINDS } from './contract-record.ts';

/**
 * The stored and sent form of a contract's record. The names are short, because every record is
 * read each minute and its size is billed. Prices are texts.
 */
export type EncodedContract = z.input<typeof EncodedContract>;

const KnownPriceSeries = z.enum(PRICE_SERIES_NAMES);
const KnownSeries = z.enum(SERIES);
const Money = z.string().regex(/^\d+$/).transform(BigInt);

const EncodedPrice = z.lazy(() =>
  z
    .object({
      t: z.int(),
      p: Money,
      c: z.string(),
      u: Money.optional(),
      s: z.string().optional(),
      d: z.int().optional(),
      v: Provider.optional(),
      alone: z.literal(true).optional(),
    })
    .transform(
      ({ t, p, c, u, s, d, v, alone }): PricePoint => ({
        kind: 'price',
        time: t,
        price: p,
        currency: c,
        ...defined({ usd: u, source: s, tradedAt: d, confirmedBy: v, isWithheld: alone }),
      }),
    ),
);

const EncodedPoint = z.lazy(() =>
  z.union([
    EncodedPrice,
    z.strictObject({ t: z.int() }).transform(({ t }): Point => ({ kind: 'empty', time: t })),
  ]),
);

const EncodedSteps = z.lazy(() =>
  z.array(
    z
      .object({
        n: z.int(),
        at: z.int(),
        asked: z.int(),
        answers: z.partialRecord(KnownPriceSeries, z.int()).transform(defined),
        points: z.partialRecord(KnownSeries, EncodedPoint).optional(),
        forTimers: z.literal(true).optional(),
      })
      .transform(
        ({ n, at, asked, answers, points = {}, forTimers }): Step => ({
          ...{ seq: n, at, asked, answeredAt: answers, points },
          ...defined({ forTimers }),
        }),
      ),
  ),
);

const EncodedSeries = z.lazy(() =>
  z
    .object({
      is: z
        .enum([
          'ok',
          'empty',
          'not_ready',
          'not_found',
          'unsupported',
          'denied',
          'throttled',
          'failed',
          'disputed',
          'not_derived',
        ])
        .optional(),
      why: z.string().optional(),
      from: z.int().optional(),
      asked: z.int().optional(),
      confirmed: z.object({ by: Provider, at: z.int() }).optional(),
      disputed: z.int().optional(),
      fails: z.int().optional(),
      alone: z.int().optional(),
      retry: z.int().optional(),
      silent: z.int().optional(),
      skips: z.object({ at: z.int(), records: z.partialRecord(SkipReason, z.int()) }).optional(),
    })
    .transform(
      ({
        is,
        why,
        from,
        asked,
        confirmed,
        disputed,
        fails,
        alone,
        retry,
        silent,
        skips,
      }): SeriesRecord => ({
        ...defined({
          outcome: is,
          reason: why,
          since: from,
          answeredAt: asked,
          confirmed,
          disputedSince: disputed,
          failures: fails,
          timesAlone: alone,
          retryAt: retry,
          noDataSince: silent,
          skipped: skips,
        }),
      }),
    ),
);

/** The name of a threshold index, as `thresholdIndexText` writes it. */
const EncodedThresholdIndex = z.lazy(() =>
  z
    .string()
    .transform((text) => {
      const [name = '', sources] = text.split('+');
      const dot = name.lastIndexOf('.');
      const minSources = sources === '2' ? (2 as const) : undefined;
      return { metric: name.slice(0, dot), unit: name.slice(dot + 1), minSources };
    })
    .pipe(
      z
        .object({
          metric: z.union([z.literal('all'), StoredMetric]),
          unit: z.string(),
          minSources: z.literal(2).or(z.undefined()),
        })
        .transform(defined),
    ),
);

export const EncodedContract = z.lazy(() =>
  z
    .looseObject({
      contract: ContractKey,
      version: z.int(),
      series: z.partialRecord(KnownPriceSeries, EncodedSeries),
      by: z.array(z.string()).default([]),
      thresholdIndexes: z.array(EncodedThresholdIndex).default([]),
      sweep: z.object({ after: z.string(), unseen: z.array(EncodedThresholdIndex) }).optional(),
      held: z
        .array(
          z.tuple([ContractKey, z.int()]).transform(([key, amount]) => ({ contract: key, amount })),
        )
        .optional(),
      past: z
        .object({
          known: z.int().optional(),
          requested: z.int().optional(),
          since: z.int().optional(),
          next: z
            .object({
              interval: z.enum(['1d', '7d', '30d', '60d', '90d', '1y', 'all']),
              cursor: z.string().optional(),
            })
            .transform(defined)
            .optional(),
        })
        .transform(defined)
        .optional(),
      seq: z.int(),
      stepAt: z.int().default(0),
      reading: z.partialRecord(KnownSeries, EncodedPoint).default({}),
      readAt: z.int().default(0),
      steps: EncodedSteps.default([]),
      suspect: EncodedPrice.optional(),
      accepted: z.array(EncodedPrice).default([]),
      late: z.array(EncodedPrice).optional(),
      ahead: z.array(EncodedPrice).optional(),
      timers: z.partialRecord(z.enum([...WAKE_KINDS, 'refreshRequested']), z.int()).default({}),
      unsupportedBy: z.partialRecord(Provider, z.int()).optional(),
    })
    .transform(
      ({
        contract,
        version,
        series,
        by: tenants,
        thresholdIndexes,
        ...decoded
      }): ContractRecord => {
        const { sweep, held, past, timers, unsupportedBy, ...others } = decoded;
        const {
          seq,
          stepAt: at,
          reading: before,
          readAt: beforeAt,
          steps,
          suspect,
          accepted,
          late,
          ahead,
          ...unknown
        } = others;
        const timeline: Timeline = {
          ...{ seq, at, before, beforeAt, steps, accepted },
          ...defined({ suspect, late, ahead }),
        };
        const state = { sweep, held, past, timeline, timers: defined(timers), unsupportedBy };
        return withUnknown(
          defined({ contract, version, series, tenants, thresholdIndexes, ...state }),
          unknown,
        );
      },
    ),
);

/** Encodes a record for `EncodedContract`. */
export function encodeContract(record: ContractRecord): EncodedContract {
  const { contract, version, tenants, thresholdIndexes, sweep, timeline, timers, unsupportedBy } =
    record;
  const { held, past } = record;
  const { seq, at, before, beforeAt, steps, suspect, accepted, late, ahead } = timeline;
  return {
    ...unknownAttributes(record),
    contract,
    version,
    series: Object.fromEntries(
      PRICE_SERIES_NAMES.flatMap((series) => {
        const known = record.series[series];
        return known === undefined ? [] : [[series, encodeSeries(known)]];
      }),
    ),
    ...(tenants.length === 0 ? {} : { by: [...tenants] }),
    ...(thresholdIndexes.length === 0
      ? {}
      : { thresholdIndexes: thresholdIndexes.map(thresholdIndexText) }),
    ...given('sweep', sweep && { ...sweep, unseen: sweep.unseen.map(thresholdIndexText) }),
    ...given(
      'held',
      held?.map((tokens): [string, number] => [tokens.contract, tokens.amount]),
    ),
    ...given('past', past),
    seq,
    ...(at === 0 ? {} : { stepAt: at }),
    ...(isEmpty(before) ? {} : { reading: encodeReading(before) }),
    ...(beforeAt === 0 ? {} : { readAt: beforeAt }),
    ...(steps.length === 0 ? {} : { steps: steps.map(encodeStep) }),
    ...given('suspect', suspect && encodePoint(suspect)),
    ...(accepted.length === 0 ? {} : { accepted: encodePoints(accepted) }),
    ...given('late', late && encodePoints(late)),
    ...given('ahead', ahead && encodePoints(ahead)),
    ...(isEmpty(timers) ? {} : { timers }),
    ...given('unsupportedBy', unsupportedBy),
  };
}

function encodeSeries(known: SeriesRecord) {
  return {
    ...given('is', known.outcome),
    ...given('why', known.reason),
    ...given('from', known.since),
    ...given('asked', known.answeredAt),
    ...given('confirmed', known.confirmed),
    ...given('disputed', known.disputedSince),
    ...given('fails', known.failures),
    ...given('alone', known.timesAlone),
    ...given('retry', known.retryAt),
    ...given('silent', known.noDataSince),
    ...given('skips', known.skipped),
  };
}

function encodePoints(points: readonly PricePoint[]) {
  return points.map((point) => encodePoint(point));
}

function encodeStep({ seq, at, asked, answeredAt, points, forTimers }: Step) {
  return {
    ...{ n: seq, at, asked, answers: answeredAt },
    ...(isEmpty(points) ? {} : { points: encodeReading(points) }),
    ...given('forTimers', forTimers),
  };
}

function encodeReading(reading: Reading) {
  return Object.fromEntries(
    SERIES.flatMap((name) => {
      const point = reading[name];
      return point === undefined ? [] : [[name, encodePoint(point)] as const];
    }),
  );
}

function isEmpty(record: object): boolean {
  return Object.keys(record).length === 0;
}

function encodePoint(point: PricePoint): z.input<typeof EncodedPrice>;
function encodePoint(point: Point): z.input<typeof EncodedPoint>;
function encodePoint(point: Point): z.input<typeof EncodedPoint> {
  if (point.kind === 'empty') return { t: point.time };
  return {
    t: point.time,
    p: point.price.toString(),
    c: point.currency,
    ...given('u', point.usd?.toString()),
    ...given('s', point.source),
    ...given('d', point.tradedAt),
    ...given('v', point.confirmedBy),
    ...given('alone', point.isWithheld),
  };
}

function given<Name extends string, Value>(name: Name, value: Value | undefined) {
  return value === undefined ? {} : { [name]: value };
}
