import type { Alert, AlertKey } from '#shared/domain/alerting/alert.ts';
import {
  type AlertRecord,
  delivered,
  newAlertRecord,
  type Sink,
  sinksDue,
  undelivered,
} from '#shared/domain/alerting/alert-record.ts';
import { retryingConflicts, VersionConflictError } from '#shared/domain/version-conflict.ts';
import type { Watchlist } from '#shared/domain/watching/watchlist.ts';
import type { NotifyWatchersPorts } from './ports.ts';

/** An alert that is there already was taken over before: the same id is the same alert. */
export async function createAlert(
  ports: NotifyWatchersPorts,
  list: Watchlist,
  alert: Alert,
): Promise<void> {
  try {
    await ports.putAlert(newAlertRecord(alert, sinksOf(ports, list), ports.now()));
  } catch (error) {
    if (!(error instanceof VersionConflictError)) throw error;
  }
}

/**
 * Sends an alert to each sink that has not got it yet. One that does not take it is tried again by
 * appointment and holds up no other. A crash between a publish and its mark repeats the message,
 * with the same id.
 */
export async function deliverAlert(ports: NotifyWatchersPorts, key: AlertKey): Promise<void> {
  const record = await ports.getAlert(key);
  if (record === undefined) return;
  for (const sink of sinksDue(record, ports.now())) {
    await (sink === 'stack-slack'
      ? passToChat(ports, record.alert)
      : publishTo(ports, record.alert, sink));
  }
}

/** The chat's own actor says what came of it; until it does, it is asked again later and later. */
async function passToChat(ports: NotifyWatchersPorts, alert: Alert): Promise<void> {
  const sink = 'stack-slack';
  const now = ports.now();
  await note(ports, alert, sink, (record) => undelivered(record, sink, 'no word of the chat', now));
  const { tenant, watchlist, at, id } = alert;
  await ports.sendToChannels([
    { message: { sink, tenant, watchlist, at, id }, deduplication: `${sink} ${id} ${now}` },
  ]);
}

async function publishTo(
  ports: NotifyWatchersPorts,
  alert: Alert,
  sink: 'stack-topic' | 'list-topic',
): Promise<void> {
  const failure = await publish(ports, alert, sink);
  const now = ports.now();
  await note(ports, alert, sink, (record) =>
    failure === undefined
      ? delivered(record, sink, { state: 'accepted', at: now })
      : undelivered(record, sink, failure, now),
  );
}

/** Changes the record of an alert that a sink still has to get. */
async function note(
  ports: NotifyWatchersPorts,
  alert: Alert,
  sink: Sink,
  change: (record: AlertRecord) => AlertRecord,
): Promise<void> {
  await retryingConflicts(async () => {
    const record = await ports.getAlert(alert);
    if (record?.unsent[sink] !== undefined) await ports.putAlert(change(record));
  });
}

/** Why a topic did not take the alert; undefined when it did. */
async function publish(
  ports: NotifyWatchersPorts,
  alert: AlertRecord['alert'],
  sink: 'stack-topic' | 'list-topic',
): Promise<string | undefined> {
  const { id, tenant, watchlist } = alert;
  try {
    await (sink === 'stack-topic'
      ? ports.publishToStack(alert)
      : ports.publishToList({ tenant, id: watchlist }, alert));
    ports.report('alert_published', { alert: id, sink });
    return undefined;
  } catch (error) {
    ports.report('alert_not_published', { alert: id, sink, error });
    return error instanceof Error ? error.name : 'unknown';
  }
}

/** The sinks of a list's alerts. */
function sinksOf(ports: NotifyWatchersPorts, list: Watchlist): readonly Sink[] {
  return [
    'stack-topic',
    ...(ports.stackSlack === 'on' ? (['stack-slack'] as const) : []),
    ...(list.channels.some(({ kind }) => kind === 'email') ? (['list-topic'] as const) : []),
  ];
}
