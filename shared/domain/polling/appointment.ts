import type { AlertKey } from '#shared/domain/alerting/alert.ts';
import type { Pending } from '#shared/domain/watching/pending.ts';
import type { WatchId } from '#shared/domain/watching/watch.ts';

/** Something whose time has come: an outbox unsent, a change pending, an alert to send again. */
export type Appointment =
  | { readonly kind: 'watch'; readonly id: WatchId }
  | ({ readonly kind: 'pending' } & Pick<Pending, 'list' | 'target'>)
  | { readonly kind: 'alert'; readonly key: AlertKey };
