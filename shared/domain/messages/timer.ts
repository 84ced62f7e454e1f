import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import type { Job } from '#shared/domain/watchlists/job.ts';

/** Something whose time has come: alerts whose messages may be lost, a job, a destination with work. */
export type Timer =
  | { readonly kind: 'hints'; readonly id: string }
  | ({ readonly kind: 'change' } & Pick<Job, 'list' | 'target'>)
  | { readonly kind: 'channel'; readonly destinationId: DestinationId };
