import { alertSortKey } from '#shared/domain/alerting/alert.ts';
import {
  type Answered,
  type InboxEntry,
  type Outcome,
  outcomeOfEntry,
  type PostedAlert,
} from '#shared/domain/channels/alert-record.ts';
import { SECOND } from '#shared/domain/market/instant.ts';
import { UnreadableError } from '#shared/domain/unreadable.ts';
import { inGroups } from '#shared/use-cases/in-groups.ts';
import { waitForAll } from '#shared/use-cases/wait-for-all.ts';
import { asDelivered } from './as-delivered.ts';
import type { DeliverMessagesPorts } from './ports.ts';

/**
 * If the invocation has fewer milliseconds left than this, another message of the queue handles the
 * remaining alerts. The longest step reads a thousand alerts and waits for an answer.
 */
export const TIME_TO_STOP = 15 * SECOND;

const AT_ONCE = 25;

export type Waiting = { readonly entry: InboxEntry; readonly record: PostedAlert };

/**
 * The alerts of entries, without duplicates: an entry exists twice if its worker crashed while
 * moving it. Entries of settled, missing or unreadable alerts are removed from the inbox.
 */
export async function pendingOf(
  ports: DeliverMessagesPorts,
  entries: readonly InboxEntry[],
): Promise<readonly Waiting[]> {
  const first = new Map(
    entries.map((entry) => [alertSortKey(entry.alert), entry] as const).toReversed(),
  );
  const found = await inGroups(entries, AT_ONCE, async (entry) => {
    const isFirst = first.get(alertSortKey(entry.alert)) === entry;
    const record = isFirst ? await findPending(ports, entry) : undefined;
    if (record !== undefined) {
      const alert = await asDelivered(ports, record.alert, entry.heldBack);
      return [{ entry, record: { ...record, alert } }];
    }
    await ports.removeFromInbox(entry);
    return [];
  });
  return found.flat();
}

/** Settles alerts that their destination will not get, and reports them. */
export async function reject(
  ports: DeliverMessagesPorts,
  entries: readonly InboxEntry[],
  reason: string,
): Promise<void> {
  const outcome: Outcome = { state: 'failed', at: ports.now(), reason };
  await settleAll(ports, answeredBy(entries, outcome));
  const [{ destinationId } = {}] = entries;
  if (destinationId === undefined) return;
  ports.report('alerts_given_up', { destinationId, alerts: entries.length, reason });
}

/** The alert of an entry without an outcome. An unreadable alert is reported and skipped. */
async function findPending(
  ports: DeliverMessagesPorts,
  { destinationId, alert }: InboxEntry,
): Promise<PostedAlert | undefined> {
  try {
    const [posted, outcome] = await waitForAll([
      ports.getPosted(alert),
      ports.getOutcome(alert, destinationId),
    ]);
    return outcome === undefined ? posted : undefined;
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    ports.report('alert_unreadable', { destinationId, alert: alert.id, error });
    return undefined;
  }
}

/** Settles alerts; returns false if the time ran out before all were settled. */
export async function settleAll(
  ports: DeliverMessagesPorts,
  answered: readonly Answered[],
): Promise<boolean> {
  for (let start = 0; start < answered.length; start += AT_ONCE) {
    if (start > 0 && ports.remainingTime() < TIME_TO_STOP) return false;
    await waitForAll(answered.slice(start, start + AT_ONCE).map((one) => settle(ports, one)));
  }
  return true;
}

/** Pairs each entry with the same outcome. */
export function answeredBy(entries: readonly InboxEntry[], outcome: Outcome): readonly Answered[] {
  return entries.map((entry) => ({ entry, outcome }));
}

/** Records the outcome of an entry's alerts, then removes the entry from the inbox. */
async function settle(ports: DeliverMessagesPorts, { entry, outcome }: Answered): Promise<void> {
  const { alert, destinationId, heldBack } = entry;
  const others = (heldBack?.alerts ?? []).filter(({ id }) => id !== alert.id);
  const keys = [alert, ...others.map((other) => ({ ...alert, ...other }))];
  const settled = outcomeOfEntry(entry, outcome);
  await waitForAll(keys.map((key) => ports.putOutcome(key, destinationId, settled)));
  await ports.removeFromInbox(entry);
}
