import type { Sink } from '#shared/domain/alerting/sink.ts';
import type { Pending } from '#shared/domain/watching/pending.ts';
import type { WatchId } from '#shared/domain/watching/watch.ts';

/** Something whose time has come: an outbox unsent, a change pending, a sink with work. */
export type Appointment =
  | { readonly kind: 'watch'; readonly id: WatchId }
  | ({ readonly kind: 'pending' } & Pick<Pending, 'list' | 'target'>)
  | { readonly kind: 'channel'; readonly sink: Sink };
