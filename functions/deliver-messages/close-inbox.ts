import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import type { InboxEntry, Outcome } from '#shared/domain/channels/alert-record.ts';
import { missingContactPointAlert } from '#shared/domain/channels/channel-alerts.ts';
import type { ChannelRecord } from '#shared/domain/channels/channel-record.ts';
import { allDestinationIdsOf, channelOf } from '#shared/domain/channels/destination-id.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { isOfContactPoints } from '#shared/domain/watchlists/contact-points.ts';
import { postAlerts } from '#shared/use-cases/post-alerts.ts';
import type { DeliverMessagesPorts } from './ports.ts';
import { DIGEST } from './receiver.ts';
import { answeredBy, settleAll, TIME_TO_STOP } from './waiting-alerts.ts';

/** The reason for failed alerts of a channel that does not exist. */
const MISSING = 'the channel was removed';

/**
 * Settles the waiting alerts of a channel that the list no longer has. Then removes the channel's
 * record, unless it has changed since the caller read it (before the list). Returns whether nothing
 * is left to do.
 */
export async function closeInbox(
  ports: DeliverMessagesPorts,
  destinationId: DestinationId,
  known: ChannelRecord | undefined,
): Promise<boolean> {
  let record = known;
  do {
    const waiting = await ports.oldestInInbox(destinationId, DIGEST);
    const muted = await ports.mutedInInbox(destinationId);
    const entries = [...waiting, ...muted.entries];
    await announceMissing(ports, destinationId, entries);
    const outcome: Outcome = { state: 'failed', at: ports.now(), reason: MISSING };
    await settleAll(ports, answeredBy(entries, outcome));
    if (entries.length > 0) continue;
    if (record === undefined) return true;
    if (!(await isForgotten(ports, record))) return false;
    // One more pass finds alerts that were posted in the meantime.
    record = undefined;
  } while (ports.remainingTime() > TIME_TO_STOP);
  return false;
}

/**
 * Alerts the other channels of each list that still names the removed contact point. A different
 * version of the stack may remove a contact point that is in use.
 */
async function announceMissing(
  ports: DeliverMessagesPorts,
  destinationId: DestinationId,
  entries: readonly InboxEntry[],
): Promise<void> {
  const missing = channelOf(destinationId);
  if (missing === undefined || !isOfContactPoints(missing.list)) return;
  const { tenant } = missing.list;
  const affected = Map.groupBy(entries, ({ alert }) => alert.watchlist);
  for (const [id, waiting] of affected) {
    const list = await ports.getWatchlist({ tenant, id });
    const [first] = waiting;
    const isNamed = list?.deleted === false && list.contactPoints.includes(missing.channel);
    if (first === undefined || !isNamed) continue;
    const alert = missingContactPointAlert(list, missing.channel, first.postedAt);
    const others = allDestinationIdsOf(list, ports).filter((other) => other !== destinationId);
    await postAlerts(ports, [alert], others);
    ports.report('alerts_given_up', { destinationId, alerts: waiting.length, reason: MISSING });
  }
}

async function isForgotten(ports: DeliverMessagesPorts, record: ChannelRecord): Promise<boolean> {
  try {
    await ports.removeChannel(record);
    return true;
  } catch (error) {
    if (error instanceof VersionConflictError) return false;
    throw error;
  }
}
