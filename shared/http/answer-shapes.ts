import * as z from 'zod';
import { FORECASTS } from '#shared/domain/evaluation/forecast.ts';

/** A moment as every answer reports it: ISO 8601, UTC, with milliseconds. */
export const MomentText = z.iso.datetime({ precision: 3 });

/** An exact number as every answer reports it: a decimal text in its shortest form. */
export const DecimalText = z.string().regex(/^-?\d{1,40}(\.\d{1,18})?$/);

/** Where the next page of a list begins; null at its end. */
export const CursorAnswer = z.string().nullable();

/** What a page leaves out, since another version has written it. */
export const UnreadableAnswer = z.strictObject({
  kind: z.enum(['watchlist', 'contract', 'watch', 'channel', 'alert', 'acknowledgement', 'change']),
  id: z.string(),
  reason: z.string(),
});

/** What a page says beside its entries, where it reads on until it is full. */
export const filledPage = {
  cursor: CursorAnswer,
  stoppedShort: z.boolean(),
  unreadable: z.array(UnreadableAnswer),
};

/** What the provider reported last, by what it was asked: the members of it. */
export const priceAnswer = {
  part: z.string(),
  price: DecimalText.nullable(),
  currency: z.string().nullable(),
  usd: DecimalText.nullable(),
  dataTime: MomentText.nullable(),
  source: z.string().nullable(),
  answeredAt: MomentText.nullable(),
};

/** A condition of a rule, and what its metric reports now. */
export const ReadingAnswer = z.strictObject({
  metric: z.string(),
  condition: z.string(),
  unit: z.string(),
  value: DecimalText.nullable(),
  beyond: z.boolean().nullable(),
});

/** What will come of a rule on a contract. */
export const ForecastAnswer = z.strictObject({
  code: z.enum(FORECASTS),
  text: z.string(),
  at: MomentText.nullable(),
  conditions: z.array(ReadingAnswer),
});

/** What is wrong with one member of a request. */
export const ValidationIssue = z.strictObject({ pointer: z.string(), detail: z.string() });

/** A problem document, as RFC 9457 says; ours and the gateway's. */
export const Problem = z.strictObject({
  type: z.string(),
  title: z.string(),
  status: z.int().min(400).max(599),
  detail: z.string(),
  errors: z.array(ValidationIssue).optional(),
  /** The detail again, under the name that clients of the v2.2 interface read. */
  message: z.string().optional(),
});
