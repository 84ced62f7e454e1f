import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import type { JobId } from '#shared/domain/watchlists/job.ts';

/**
 * Due work: posted alerts whose messages may be lost, a job, or a destination with waiting alerts.
 */
export type Timer =
  | { readonly kind: 'postIntent'; readonly id: string }
  | { readonly kind: 'job'; readonly job: JobId }
  | { readonly kind: 'channel'; readonly destinationId: DestinationId };
