import * as z from 'zod';
import { Scope } from '#shared/domain/access/scope.ts';
import { Duration } from '#shared/domain/market/duration.ts';
import { Moment } from '#shared/domain/rules/alert-rule.ts';
import { Line } from '#shared/domain/words.ts';

export const KeyBody = z.strictObject({
  name: Line,
  scopes: z
    .array(Scope)
    .min(1, 'expected at least one scope')
    .max(Scope.options.length, 'expected each scope at most once'),
  expiresAt: Moment.optional(),
});
export type KeyBody = z.output<typeof KeyBody>;

export const RotationBody = z.strictObject({
  overlap: Duration.default('1d'),
  expiresAt: Moment.optional(),
});
export type RotationBody = z.output<typeof RotationBody>;

export const RedemptionBody = z.strictObject({
  code: z.string().min(1, 'expected a sign-in code').max(200, 'expected at most 200 characters'),
});
export type RedemptionBody = z.output<typeof RedemptionBody>;

export const RevocationQuery = z.strictObject({
  lastAdmin: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
});
export type RevocationQuery = z.output<typeof RevocationQuery>;
