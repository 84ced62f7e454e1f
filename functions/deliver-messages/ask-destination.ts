import { type Destination, webhookOf } from '#shared/channels/destination.ts';
import type { Notification } from '#shared/domain/alerting/notification.ts';
import {
  answeredAfter,
  type ChannelRecord,
  failed,
  proven,
  turnedOff,
} from '#shared/domain/channels/channel-record.ts';
import type { ChatAnswer } from '#shared/domain/channels/chat-answer.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { DeliverMessagesPorts } from './ports.ts';
import { change } from './put-record.ts';
import { whySkipped } from './shown-news.ts';

/**
 * The answer of a webhook to its challenge; undefined if no proof is needed. A webhook must answer
 * a challenge before its first alert: otherwise a tenant could send alerts to a stranger's server.
 */
export async function proofOf(
  ports: DeliverMessagesPorts,
  { destinationId, provenAt }: ChannelRecord,
  destination: Destination,
  signal: AbortSignal,
): Promise<ChatAnswer | undefined> {
  const webhook = webhookOf(destination);
  if (webhook === undefined || provenAt !== undefined) return undefined;
  const answer = await answerTo(() => ports.prove(webhook, signal), signal);
  ports.report('webhook_challenged', { destinationId, ...answer });
  return answer;
}

/**
 * Challenges a new webhook once, before its first alert, so that its owner sees errors during the
 * setup.
 */
export async function proveAtRest(
  ports: DeliverMessagesPorts,
  record: ChannelRecord,
  destination: Destination,
  signal: AbortSignal,
): Promise<ChannelRecord | undefined> {
  if (record.failure !== undefined || record.off !== undefined) return undefined;
  const sentAt = ports.now();
  const answer = await proofOf(ports, record, destination, signal);
  if (answer === undefined) return undefined;
  const now = ports.now();
  const next = (found: ChannelRecord) => {
    if (answer.kind === 'sent') return withProof(found, answer, now);
    if (answer.kind === 'gone') return turnedOff(found, answer.reason, now);
    return failed(found, 'reason' in answer ? answer.reason : answer.kind, now);
  };
  return await change(ports, record, (found) => answeredAfter(next(found), now - sentAt));
}

export function withProof(
  record: ChannelRecord,
  proof: ChatAnswer | undefined,
  now: Instant,
): ChannelRecord {
  return proof?.kind === 'sent' ? proven(record, now) : record;
}

export async function send(
  ports: DeliverMessagesPorts,
  { subscription }: ChannelRecord,
  destination: Destination,
  notification: Notification,
  signal: AbortSignal,
): Promise<ChatAnswer> {
  const reason = whySkipped(destination, notification);
  if (reason !== undefined) return { kind: 'skipped', reason };
  return await answerTo(() => ports.send(destination, notification, signal, subscription), signal);
}

/**
 * The answer to a request. An error that prevents the request, such as a missing secret, counts as
 * failed.
 */
async function answerTo(post: () => Promise<ChatAnswer>, signal: AbortSignal): Promise<ChatAnswer> {
  try {
    return await post();
  } catch (error) {
    signal.throwIfAborted();
    return { kind: 'failed', reason: error instanceof Error ? error.name : 'unknown' };
  }
}
