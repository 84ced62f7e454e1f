import * as z from 'zod';
import { defined } from '#shared/domain/defined.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import {
  type Observation,
  PARTS,
  type Point,
  type PricePoint,
} from '#shared/domain/market/point.ts';
import { Provider } from '#shared/domain/market/provider.ts';
import { SkipReason } from '#shared/domain/market/skipped.ts';
import { StoredMetric } from '#shared/domain/metrics/metric.ts';
import { thresholdIndexText } from '#shared/domain/rules/threshold-index.ts';
import { unknownOf, withUnknown } from '#shared/domain/unknown-attributes.ts';
import type { ContractRecord, PartRecord } from './contract-record.ts';

/**
 * A contract's record as it is kept and sent: plain JSON with short names, since every one of them
 * is read each minute and paid for by its bytes. Money is text.
 */
export type EncodedContract = z.input<typeof EncodedContract>;

const KnownPart = z.enum(PARTS);
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
    })
    .transform(
      ({ t, p, c, u, s, d, v }): PricePoint => ({
        kind: 'price',
        time: t,
        price: p,
        currency: c,
        ...(u === undefined ? {} : { usd: u }),
        ...(s === undefined ? {} : { source: s }),
        ...(d === undefined ? {} : { tradedAt: d }),
        ...(v === undefined ? {} : { confirmedBy: v }),
      }),
    ),
);

const EncodedPoint = z.lazy(() =>
  z.union([
    EncodedPrice,
    z.strictObject({ t: z.int() }).transform(({ t }): Point => ({ kind: 'empty', time: t })),
  ]),
);

const EncodedObservation = z.lazy(() =>
  z
    .object({
      n: z.int(),
      poll: z.int(),
      of: KnownPart,
      at: EncodedPoint,
      was: EncodedPrice.optional(),
      stands: EncodedPrice.optional(),
      stood: EncodedPrice.optional(),
    })
    .transform(
      ({ n, poll, of, at, was, stands, stood }): Observation => ({
        seq: n,
        poll,
        part: of,
        point: at,
        ...(was === undefined ? {} : { previous: was }),
        ...(stands === undefined ? {} : { standing: stands }),
        ...(stood === undefined ? {} : { stood }),
      }),
    ),
);

const EncodedPart = z.lazy(() =>
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
        ])
        .optional(),
      why: z.string().optional(),
      from: z.int().optional(),
      asked: z.int().optional(),
      n: z.int().optional(),
      poll: z.int().optional(),
      at: EncodedPoint.optional(),
      stands: EncodedPrice.optional(),
      base: EncodedPrice.optional(),
      confirmed: z.object({ by: Provider, at: z.int() }).optional(),
      disputed: z.int().optional(),
      fails: z.int().optional(),
      alone: z.int().optional(),
      retry: z.int().optional(),
      silent: z.int().optional(),
      skips: z.object({ at: z.int(), records: z.partialRecord(SkipReason, z.int()) }).optional(),
    })
    .refine(({ n, at }) => (n === undefined) === (at === undefined), {
      path: ['n'],
      message: 'expected a newest point with its number, or neither',
    })
    .transform(
      ({
        is,
        why,
        from,
        asked,
        n,
        poll,
        at,
        stands,
        base,
        confirmed,
        disputed,
        fails,
        alone,
        retry,
        silent,
        skips,
      }): PartRecord => ({
        ...(is === undefined ? {} : { outcome: is }),
        ...(why === undefined ? {} : { reason: why }),
        ...(from === undefined ? {} : { since: from }),
        ...(asked === undefined ? {} : { answeredAt: asked }),
        ...(n === undefined || at === undefined
          ? {}
          : {
              newest: {
                ...{ seq: n, point: at },
                ...(poll === undefined ? {} : { poll }),
                ...(stands === undefined ? {} : { standing: stands }),
                ...(base === undefined ? {} : { base }),
              },
            }),
        ...(confirmed === undefined ? {} : { confirmed }),
        ...(disputed === undefined ? {} : { disputedSince: disputed }),
        ...(fails === undefined ? {} : { failures: fails }),
        ...(alone === undefined ? {} : { timesAlone: alone }),
        ...(retry === undefined ? {} : { retryAt: retry }),
        ...(silent === undefined ? {} : { silentSince: silent }),
        ...(skips === undefined ? {} : { skipped: skips }),
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
      seq: z.int(),
      parts: z.partialRecord(KnownPart, EncodedPart),
      by: z.array(z.string()).default([]),
      thresholdIndexes: z.array(EncodedThresholdIndex).default([]),
      sweep: z.object({ after: z.string(), unseen: z.array(EncodedThresholdIndex) }).optional(),
      windowExpiries: z
        .object({ until: z.int(), nextAt: z.int().optional() })
        .transform(defined)
        .optional(),
      past: z
        .object({
          known: z.int().optional(),
          wanted: z.int().optional(),
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
      unevaluated: z.array(EncodedObservation).default([]),
      lackedBy: z.partialRecord(Provider, z.int()).optional(),
      wanted: z.partialRecord(KnownPart, z.int()).default({}),
    })
    .transform(
      ({
        contract,
        version,
        seq,
        parts,
        by: tenants,
        thresholdIndexes,
        ...decoded
      }): ContractRecord => {
        const { sweep, windowExpiries, past, unevaluated, lackedBy, wanted, ...unknown } = decoded;
        const state = { sweep, windowExpiries, past, unevaluated, lackedBy, wanted };
        return withUnknown(
          defined({ contract, version, seq, parts, tenants, thresholdIndexes, ...state }),
          unknown,
        );
      },
    ),
);

/** The form of a record that `EncodedContract` reads back. */
export function encodeContract(record: ContractRecord): EncodedContract {
  const {
    contract,
    version,
    seq,
    tenants,
    thresholdIndexes,
    sweep,
    windowExpiries,
    past,
    unevaluated,
    lackedBy,
    wanted,
  } = record;
  return {
    ...unknownOf(record),
    contract,
    version,
    seq,
    parts: Object.fromEntries(
      PARTS.flatMap((part) => {
        const known = record.parts[part];
        return known === undefined ? [] : [[part, encodePart(known)]];
      }),
    ),
    ...(tenants.length === 0 ? {} : { by: [...tenants] }),
    ...(thresholdIndexes.length === 0
      ? {}
      : { thresholdIndexes: thresholdIndexes.map(thresholdIndexText) }),
    ...given('sweep', sweep && { ...sweep, unseen: sweep.unseen.map(thresholdIndexText) }),
    ...given('windowExpiries', windowExpiries),
    ...given('past', past),
    ...(unevaluated.length === 0 ? {} : { unevaluated: unevaluated.map(encodeObservation) }),
    ...given('lackedBy', lackedBy),
    ...(Object.keys(wanted).length === 0 ? {} : { wanted }),
  };
}

function encodePart(known: PartRecord) {
  return {
    ...given('is', known.outcome),
    ...given('why', known.reason),
    ...given('from', known.since),
    ...given('asked', known.answeredAt),
    ...(known.newest === undefined
      ? {}
      : {
          n: known.newest.seq,
          ...given('poll', known.newest.poll),
          at: encodePoint(known.newest.point),
          ...given('stands', known.newest.standing && encodePoint(known.newest.standing)),
          ...given('base', known.newest.base && encodePoint(known.newest.base)),
        }),
    ...given('confirmed', known.confirmed),
    ...given('disputed', known.disputedSince),
    ...given('fails', known.failures),
    ...given('alone', known.timesAlone),
    ...given('retry', known.retryAt),
    ...given('silent', known.silentSince),
    ...given('skips', known.skipped),
  };
}

function encodeObservation({ seq, poll, part, point, previous, standing, stood }: Observation) {
  return {
    n: seq,
    poll,
    of: part,
    at: encodePoint(point),
    ...given('was', previous && encodePoint(previous)),
    ...given('stands', standing && encodePoint(standing)),
    ...given('stood', stood && encodePoint(stood)),
  };
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
  };
}

function given<Name extends string, Value>(name: Name, value: Value | undefined) {
  return value === undefined ? {} : { [name]: value };
}
