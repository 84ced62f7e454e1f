import type { Alert, AlertKey } from '#shared/domain/alerting/alert.ts';
import { type AlertRecord, delivered, undelivered } from '#shared/domain/alerting/alert-record.ts';
import type { ChatAnswer } from '#shared/domain/alerting/chat-answer.ts';
import type { Letter } from '#shared/domain/alerting/letter.ts';
import { type Instant, SECOND } from '#shared/domain/market/instant.ts';
import type { ChannelMessage } from '#shared/domain/messages/channel-message.ts';
import { retryingConflicts } from '#shared/domain/version-conflict.ts';

export type DeliverMessagesPorts = {
  readonly now: () => Instant;
  readonly getAlert: (key: AlertKey) => Promise<AlertRecord | undefined>;
  readonly putAlert: (record: AlertRecord) => Promise<AlertRecord>;
  readonly postToSlack: (letter: Letter, signal: AbortSignal) => Promise<ChatAnswer>;
  /** Waits until the chat takes another message. */
  readonly takeTurn: (signal: AbortSignal) => Promise<void>;
  readonly report: (event: DeliverMessagesEvent, fields: Readonly<Record<string, unknown>>) => void;
};

type DeliverMessagesEvent = `message_${ChatAnswer['kind']}`;

/**
 * Sends one alert to its chat, unless it got it already. A failure is an appointment: the
 * dispatcher sends it again, over a day.
 */
export async function deliverMessages(
  ports: DeliverMessagesPorts,
  { sink, ...key }: ChannelMessage,
  signal: AbortSignal,
): Promise<void> {
  const record = await ports.getAlert(key);
  if (record?.unsent[sink] === undefined) return;
  await ports.takeTurn(signal);
  const answer = await post(ports, record.alert, signal);
  await retryingConflicts(async () => {
    const known = await ports.getAlert(key);
    if (known?.unsent[sink] !== undefined) await ports.putAlert(noted(known, answer, ports.now()));
  });
  ports.report(`message_${answer.kind}`, {
    alert: key.id,
    sink,
    ...('reason' in answer ? { reason: answer.reason } : {}),
  });
}

/** What keeps a message from being sent at all, a secret that is not there, is noted as well. */
async function post(
  ports: DeliverMessagesPorts,
  alert: Alert,
  signal: AbortSignal,
): Promise<ChatAnswer> {
  try {
    return await ports.postToSlack({ kind: 'alert', alert }, signal);
  } catch (error) {
    signal.throwIfAborted();
    ports.report('message_failed', { alert: alert.id, error });
    return { kind: 'failed', reason: error instanceof Error ? error.name : 'unknown' };
  }
}

function noted(record: AlertRecord, answer: ChatAnswer, now: Instant): AlertRecord {
  const sink = 'stack-slack';
  switch (answer.kind) {
    case 'accepted':
    case 'sent':
      return delivered(record, sink, { state: answer.kind, at: now });
    case 'gone':
      return delivered(record, sink, { state: 'failed', at: now, reason: 'gone' });
    case 'refused':
      return delivered(record, sink, { state: 'failed', at: now, reason: answer.reason });
    case 'failed':
      return undelivered(
        record,
        sink,
        answer.reason,
        now,
        now + (answer.retryAfterSeconds ?? 0) * SECOND,
      );
  }
}
