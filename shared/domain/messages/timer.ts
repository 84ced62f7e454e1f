import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import type { ChangeJob } from '#shared/domain/watchlists/change-job.ts';

/** Something whose time has come: alerts whose messages may be lost, a job, a destination with work. */
export type Timer =
  | { readonly kind: 'hints'; readonly id: string }
  | ({ readonly kind: 'change' } & Pick<ChangeJob, 'list' | 'target'>)
  | { readonly kind: 'channel'; readonly destinationId: DestinationId };
