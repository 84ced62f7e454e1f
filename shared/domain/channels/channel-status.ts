import { addressOf, type Channel, endpointOf } from '#shared/channels/channel.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import {
  type ChannelRecord,
  configured,
  type Subscription,
  undeliveredNow,
} from './channel-record.ts';

/**
 * The state of a channel: `pending` until the subscription is confirmed or the challenge is
 * answered, `failing` while messages fail, `off` after a permanent refusal, `gone` after the
 * subscription ended.
 */
export type ChannelStatus = {
  readonly state: 'working' | 'pending' | 'failing' | 'off' | 'gone';
  readonly reason?: string;
  readonly since?: Instant;
};

/** The state of a channel according to its record. The state of a former address is ignored. */
export function channelStatus(channel: Channel, found: ChannelRecord | undefined): ChannelStatus {
  const record = found === undefined ? undefined : configured(found, addressOf(channel));
  const { off, failure, subscription } = record ?? {};
  if (off !== undefined) return { state: 'off', reason: off.reason, since: off.since };
  if (endpointOf(channel) !== undefined) {
    const since = subscription === undefined ? {} : { since: subscription.since };
    if (subscription === undefined || subscription.state === 'pending') {
      return { state: 'pending', reason: 'the subscription is not confirmed yet', ...since };
    }
    const reason = endOf(subscription);
    if (reason !== undefined) return { state: 'gone', reason, ...since };
  }
  if (channel.kind === 'webhook' && failure === undefined && record?.provenAt === undefined) {
    return { state: 'pending', reason: 'the webhook has not responded to its challenge yet' };
  }
  if (failure !== undefined) {
    return { state: 'failing', reason: failure.reason, since: failure.since };
  }
  const undelivered = record && undeliveredNow(record);
  if (undelivered !== undefined) {
    return { state: 'failing', reason: undelivered.reason, since: undelivered.since };
  }
  return subscription?.state === 'confirmed-unprotected'
    ? { state: 'working', reason: UNPROTECTED, since: subscription.since }
    : { state: 'working' };
}

/** The reason why a channel sends no alerts; undefined if it can send. */
export function closedBecause({ off, subscription }: ChannelRecord): string | undefined {
  if (off !== undefined) return off.reason;
  return subscription && endOf(subscription);
}

/** Whether no channel of a list works; also true for a list without channels. */
export function isUndeliverable(
  channels: readonly { readonly channel: Channel; readonly record: ChannelRecord | undefined }[],
): boolean {
  return channels.every(
    ({ channel, record }) => channelStatus(channel, record).state !== 'working',
  );
}

/** The reason why a subscription ended; undefined for an active one. */
function endOf({ state }: Subscription): string | undefined {
  return { gone: GONE, ended: ENDED }[String(state)];
}

const GONE = 'the subscription was cancelled or not confirmed in time';
const ENDED = 'the recipient has unsubscribed';
const UNPROTECTED =
  'a mail scanner that opens the unsubscribe link of an email can end the subscription';
