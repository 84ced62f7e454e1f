import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import { withMuteLifted } from '#shared/domain/channels/channel-record.ts';
import { allDestinationIdsOf } from '#shared/domain/channels/destination-id.ts';
import { type Instant, readInstant } from '#shared/domain/market/instant.ts';
import { CONTACT_POINTS } from '#shared/domain/watchlists/contact-points.ts';
import type { Watchlist, WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import { changeChannel } from '#shared/use-cases/change-channel.ts';
import { createMessagesTo } from '#shared/use-cases/messages-to.ts';
import { oncePerList } from '#shared/use-cases/once-per-list.ts';
import { unlessConflict } from '#shared/use-cases/unless-conflict.ts';
import { waitForAll } from '#shared/use-cases/wait-for-all.ts';
import { announceExpiry } from './announce-expiry.ts';
import { escalateSooner } from './escalate-episode.ts';
import type { RunJobsPorts } from './ports.ts';

/**
 * Has the channels of a list look through what mutes hold, after a mute was lifted early. A contact
 * point may hold alerts of a list that names it no longer.
 */
export async function releaseHeld(ports: RunJobsPorts, id: WatchlistId): Promise<void> {
  const job = await ports.getJob(id, { kind: 'mutes' });
  const readAt = ports.now();
  const getWatchlist = oncePerList(ports.getWatchlist);
  const [list, shared] = await waitForAll([
    getWatchlist(id),
    getWatchlist({ tenant: id.tenant, id: CONTACT_POINTS }),
  ]);
  if (list !== undefined) {
    const destinationIds = new Set([
      ...allDestinationIdsOf(list, ports),
      ...(shared === undefined ? [] : allDestinationIdsOf(shared, ports)),
    ]);
    const holding = await waitForAll([...destinationIds].map((one) => liftAt(ports, one, readAt)));
    const messages = await createMessagesTo(getWatchlist)(holding.flat());
    await ports.sendToChannels(
      messages.map((message) => ({
        message,
        deduplication: `mutes ${message.destinationId} ${job?.version ?? readAt}`,
      })),
    );
    await escalateSooner(ports, list);
    for (const { rule, end } of await endedRules(ports, list, readAt)) {
      await announceExpiry(ports, id, rule, end);
    }
  }
  if (job !== undefined) await unlessConflict(() => ports.settleJob(job));
}

/** Has a destination look through what mutes hold. Returns it if it has ever got an alert. */
async function liftAt(
  ports: RunJobsPorts,
  destinationId: DestinationId,
  now: Instant,
): Promise<readonly DestinationId[]> {
  const known = await ports.getChannel(destinationId);
  if (known === undefined) return [];
  await changeChannel(ports, known, (record) => withMuteLifted(record, now));
  return [destinationId];
}

/** Rules whose end has come but is not reported yet. */
async function endedRules(ports: RunJobsPorts, list: Watchlist, now: Instant) {
  const targets = await ports.expiryJobs(list);
  return targets.filter(({ rule }) => {
    const { expiresAt } = list.rules.find(({ id }) => id === rule) ?? {};
    const end = expiresAt === undefined ? undefined : readInstant(expiresAt);
    return end !== undefined && end <= now;
  });
}
