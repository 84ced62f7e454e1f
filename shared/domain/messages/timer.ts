import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import type { JobId } from '#shared/domain/watchlists/job.ts';

/**
 * Something whose time has come: alerts whose messages may be lost, a job, a destination with work.
 */
export type Timer =
  | { readonly kind: 'postIntent'; readonly id: string }
  | { readonly kind: 'job'; readonly job: JobId }
  | { readonly kind: 'channel'; readonly destinationId: DestinationId };
