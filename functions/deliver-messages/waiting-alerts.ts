import { placeOf } from '#shared/domain/alerting/alert.ts';
import {
  type AlertRecord,
  type InboxEntry,
  isPending,
  type Outcome,
  settled,
} from '#shared/domain/channels/alert-record.ts';
import { SECOND } from '#shared/domain/market/instant.ts';
import { UnreadableError } from '#shared/domain/unreadable.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { retryingConflicts } from '#shared/use-cases/retrying-conflicts.ts';
import { waitForAll } from '#shared/use-cases/wait-for-all.ts';
import type { DeliverMessagesPorts } from './ports.ts';

/**
 * Milliseconds; with less time left the rest goes into a message of its own. The longest step reads
 * a thousand alerts, and then waits for an answer.
 */
export const TIME_TO_STOP = 15 * SECOND;

const AT_ONCE = 25;

/** Conflicts allowed beyond one per destination: with repeated writes or a stale worker. */
const SPARE_ATTEMPTS = 5;

export type Waiting = { readonly entry: InboxEntry; readonly record: AlertRecord };
/** A waiting alert with its outcome, which it does not record yet. */
export type Answered = Waiting & { readonly outcome: Outcome };

/**
 * The waiting alerts that are pending for the destination, each once: one that was being held when its
 * worker died may stand in two places. Entries of settled, missing or unreadable alerts leave the
 * inbox.
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
        const record = isFirst ? await findAlert(ports, entry) : undefined;
        if (record !== undefined && isPending(record, entry.destinationId))
          return [{ entry, record }];
        await ports.removeFromInbox(entry);
        return [];
      }),
    );
    pending.push(...found.flat());
  }
  return pending;
}

/** The alert of an entry. An unreadable alert is reported, and holds up no other. */
async function findAlert(
  ports: DeliverMessagesPorts,
  { destinationId, alert }: InboxEntry,
): Promise<AlertRecord | undefined> {
  try {
    return await ports.getAlert(alert);
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

/** Waiting alerts that share an outcome. */
export function answeredBy(pending: readonly Waiting[], outcome: Outcome): readonly Answered[] {
  return pending.map((waiting) => ({ ...waiting, outcome }));
}

/**
 * Settles one alert for its destination. Each other destination may write its own outcome
 * meanwhile, once: conflicts are retried accordingly.
 */
async function settle(
  ports: DeliverMessagesPorts,
  { entry, record, outcome }: Answered,
): Promise<void> {
  let known: AlertRecord | undefined = record;
  const attempts = Object.keys(record.deliveries).length + SPARE_ATTEMPTS;
  const write = async () => {
    if (known === undefined || !isPending(known, entry.destinationId)) return;
    try {
      await ports.putAlert(settled(known, entry.destinationId, outcome));
    } catch (error) {
      if (error instanceof VersionConflictError) known = await ports.getAlert(entry.alert);
      throw error;
    }
  };
  await retryingConflicts(write, attempts);
  await ports.removeFromInbox(entry);
}
