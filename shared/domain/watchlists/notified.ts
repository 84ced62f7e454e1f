import * as z from 'zod';
import type { Forms } from '#shared/domain/forms.ts';
import { readDuration } from '#shared/domain/market/duration.ts';
import { DAY } from '#shared/domain/market/instant.ts';
import { Notified } from '#shared/domain/rules/alert-rule.ts';

/** The channels that get the alerts of each severity. An omitted severity goes to all channels. */
export const NotifiedBySeverity = z.strictObject({
  critical: Notified.optional(),
  warning: Notified.optional(),
  info: Notified.optional(),
});

/** The additional channels for a critical alert whose episode nobody has acknowledged in time. */
export const Escalation = z.strictObject({
  after: z.string().refine((text) => (readDuration(text) ?? Number.POSITIVE_INFINITY) <= DAY, {
    message: 'expected a duration from 1m to 24h, for example "15m" or "1h"',
  }),
  to: Notified,
});
export type Escalation = z.output<typeof Escalation>;

export function escalationForms(): Forms {
  const pattern = '^([1-9]\\d{0,2}m|([1-9]|1\\d|2[0-4])h)$';
  return [[Escalation.shape.after, { pattern, examples: ['15m', '1h'] }]];
}
