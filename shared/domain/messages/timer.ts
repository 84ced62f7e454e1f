import type { DestinationId } from '#shared/domain/channels/destination-id.ts';
import type { WatchId } from '#shared/domain/evaluation/watch.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { ChangeJob } from '#shared/domain/watchlists/change-job.ts';

/** Something whose time has come: an outbox unsent, a change pending, a destination with work. */
export type Timer =
  | {
      readonly kind: 'watch';
      readonly id: WatchId;
      /** The instant that the watch has come to, if an answer from then or later is to evaluate it. */
      readonly instant?: Instant;
    }
  | ({ readonly kind: 'change' } & Pick<ChangeJob, 'list' | 'target'>)
  | { readonly kind: 'channel'; readonly destinationId: DestinationId };
