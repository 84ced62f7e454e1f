import { addressOf, type Channel, endpointOf } from '#shared/channels/channel.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import {
  type ChannelRecord,
  configured,
  type Subscription,
  undeliveredNow,
} from './channel-record.ts';

/**
 * How a channel does: `pending` until its subscription is confirmed, or it
 * has returned its challenge, `failing` while it does not
 * take its messages, `off` when it wants none any more, `gone` when its subscriber has left.
 */
export type ChannelStanding = {
  readonly state: 'working' | 'pending' | 'failing' | 'off' | 'gone';
  readonly reason?: string;
  readonly since?: Instant;
};

/** How a channel does, by its record; one of another address says nothing of this one. */
export function standingOf(channel: Channel, found: ChannelRecord | undefined): ChannelStanding {
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
    return { state: 'pending', reason: 'it has not returned its challenge yet' };
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

/** Why an alert is not even sent; undefined where it is to be tried. */
export function closedBecause({ off, subscription }: ChannelRecord): string | undefined {
  if (off !== undefined) return off.reason;
  return subscription && endOf(subscription);
}

/** Whether none of a list's channels works; none at all is none that works. */
export function isUndeliverable(
  channels: readonly { readonly channel: Channel; readonly record: ChannelRecord | undefined }[],
): boolean {
  return channels.every(({ channel, record }) => standingOf(channel, record).state !== 'working');
}

/** Why a subscription is over; undefined for one that is not. */
function endOf({ state }: Subscription): string | undefined {
  return { gone: GONE, ended: ENDED }[String(state)];
}

const GONE = 'the subscription was ended, or never confirmed in time';
const ENDED = 'its reader has unsubscribed';
const UNPROTECTED = 'the link in its mails can end the subscription';
