import type { Alert } from '#shared/domain/alerting/alert.ts';
import type { HeldBack } from '#shared/domain/channels/alert-record.ts';
import { summaryOf } from '#shared/domain/evaluation/summary.ts';
import { watchIdOf } from '#shared/domain/evaluation/watch-of-alert.ts';
import { orUnreadable } from '#shared/use-cases/or-unreadable.ts';
import { readNewest } from '#shared/use-cases/read-newest.ts';
import { waitForAll } from '#shared/use-cases/wait-for-all.ts';
import type { DeliverMessagesPorts } from './ports.ts';

/** An alert as a destination gets it: as itself, or as the summary of what a mute held back. */
export async function asTold(
  ports: DeliverMessagesPorts,
  alert: Alert,
  heldBack: HeldBack | undefined,
): Promise<Alert> {
  if (heldBack === undefined) return alert;
  const { tenant, watchlist } = alert;
  const [key = alert] = heldBack.alerts;
  const id = watchIdOf(alert);
  const [first, watch] = await waitForAll([
    orUnreadable({ kind: 'alert', id: key.id }, () =>
      ports.getPosted({ tenant, watchlist, ...key }),
    ),
    orUnreadable({ kind: 'watch', id: alert.id }, async () => id && (await ports.getWatch(id))),
  ]);
  const since = first.found?.alert.dataTime ?? alert.dataTime;
  const newest = watch.found && (await readNewest(ports, watch.found));
  return summaryOf(alert, { counts: heldBack.counts, since }, watch.found, newest);
}
