import { placeOf } from '#shared/domain/alerting/alert.ts';
import {
  type Answered,
  type InboxEntry,
  type Outcome,
  outcomeOfEntry,
  type PostedAlert,
} from '#shared/domain/channels/alert-record.ts';
import { SECOND } from '#shared/domain/market/instant.ts';
import { UnreadableError } from '#shared/domain/unreadable.ts';
import { waitForAll } from '#shared/use-cases/wait-for-all.ts';
import { asTold } from './as-told.ts';
import type { DeliverMessagesPorts } from './ports.ts';

/**
 * Milliseconds; with less time left the rest goes into a message of its own. The longest step reads
 * a thousand alerts, and then waits for an answer.
 */
export const TIME_TO_STOP = 15 * SECOND;

const AT_ONCE = 25;

export type Waiting = { readonly entry: InboxEntry; readonly record: PostedAlert };

/**
 * The alerts of entries, each once. An entry has two places if its worker died while it held the entry.
 * Entries of settled, missing or unreadable alerts leave the inbox.
 */
export async function pendingOf(
  ports: DeliverMessagesPorts,
  entries: readonly InboxEntry[],
): Promise<readonly Waiting[]> {
  const pending: Waiting[] = [];
  const first = new Map(
    entries.map((entry) => [placeOf(entry.alert), entry] as const).toReversed(),
  );
  for (let start = 0; start < entries.length; start += AT_ONCE) {
    const found = await waitForAll(
      entries.slice(start, start + AT_ONCE).map(async (entry) => {
        const isFirst = first.get(placeOf(entry.alert)) === entry;
        const record = isFirst ? await findPending(ports, entry) : undefined;
        if (record !== undefined) {
          const alert = await asTold(ports, record.alert, entry.heldBack);
          return [{ entry, record: { ...record, alert } }];
        }
        await ports.removeFromInbox(entry);
        return [];
      }),
    );
    pending.push(...found.flat());
  }
  return pending;
}

/** Settles alerts that their destination does not get, and reports them. */
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

/** Settles alerts; returns whether the time was enough for all of them. */
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

/** Entries that share an outcome. */
export function answeredBy(entries: readonly InboxEntry[], outcome: Outcome): readonly Answered[] {
  return entries.map((entry) => ({ entry, outcome }));
}

/** Records the outcome of the alerts of an entry at its destination, then removes it from the inbox. */
async function settle(ports: DeliverMessagesPorts, { entry, outcome }: Answered): Promise<void> {
  const { alert, destinationId, heldBack } = entry;
  const others = (heldBack?.alerts ?? []).filter(({ id }) => id !== alert.id);
  const keys = [alert, ...others.map((other) => ({ ...alert, ...other }))];
  const settled = outcomeOfEntry(entry, outcome);
  await waitForAll(keys.map((key) => ports.putOutcome(key, destinationId, settled)));
  await ports.removeFromInbox(entry);
}
