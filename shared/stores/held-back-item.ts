import * as z from 'zod';
import { AlertKind } from '#shared/domain/alerting/alert.ts';
import { defined } from '#shared/domain/defined.ts';

/** The key of an alert within its list. */
export const AlertName = z.object({ at: z.string(), id: z.string() });

/** What a mute held back, as items have it. */
export const HeldBackItem = z.object({
  counts: z.partialRecord(AlertKind, z.int()).transform(defined),
  alerts: z.array(AlertName),
});
