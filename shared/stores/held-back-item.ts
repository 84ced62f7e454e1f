import * as z from 'zod';
import { AlertKind } from '#shared/domain/alerting/alert.ts';
import { defined } from '#shared/domain/defined.ts';

/** The key of an alert within its list. */
export const AlertName = z.lazy(() => z.object({ at: z.string(), id: z.string() }));

/** The alerts that a mute holds, as stored in items. */
export const HeldBackItem = z.lazy(() =>
  z.object({
    counts: z.partialRecord(AlertKind, z.int()).transform(defined),
    alerts: z.array(AlertName),
  }),
);
