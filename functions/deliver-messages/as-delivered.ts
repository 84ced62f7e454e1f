import type { Alert } from '#shared/domain/alerting/alert.ts';
import type { HeldBack } from '#shared/domain/channels/alert-record.ts';
import { summaryOf } from '#shared/domain/evaluation/summary.ts';
import { watchIdOf } from '#shared/domain/evaluation/watch-of-alert.ts';
import { readNewest } from '#shared/use-cases/read-newest.ts';
import { tryRead } from '#shared/use-cases/try-read.ts';
import { waitForAll } from '#shared/use-cases/wait-for-all.ts';
import type { DeliverMessagesPorts } from './ports.ts';

/** The alert for a destination: the alert itself, or the summary of the alerts that a mute held. */
export async function asDelivered(
  ports: DeliverMessagesPorts,
  alert: Alert,
  heldBack: HeldBack | undefined,
): Promise<Alert> {
  if (heldBack === undefined) return alert;
  const { tenant, watchlist } = alert;
  const [key = alert] = heldBack.alerts;
  const id = watchIdOf(alert);
  const [first, watch] = await waitForAll([
    tryRead({ kind: 'alert', id: key.id }, () => ports.getPosted({ tenant, watchlist, ...key })),
    tryRead({ kind: 'watch', id: alert.id }, async () => id && (await ports.getWatch(id))),
  ]);
  const since = first.found?.alert.dataTime ?? alert.dataTime;
  const newest = watch.found && (await readNewest(ports, watch.found));
  return summaryOf(alert, { counts: heldBack.counts, since }, watch.found, newest);
}
