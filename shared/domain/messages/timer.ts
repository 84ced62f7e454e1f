import type { DestinationId } from '#shared/domain/channels/destination-id.ts';
import type { WatchId } from '#shared/domain/evaluation/watch.ts';
import type { ChangeJob } from '#shared/domain/watchlists/change-job.ts';

/** Something whose time has come: an outbox unsent, a change pending, a destination with work. */
export type Timer =
  | { readonly kind: 'watch'; readonly id: WatchId }
  | ({ readonly kind: 'change' } & Pick<ChangeJob, 'list' | 'target'>)
  | { readonly kind: 'channel'; readonly destinationId: DestinationId };
