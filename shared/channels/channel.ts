import type * as z from 'zod';
import { nameOfSecret, type SealedSecret } from '#shared/domain/channels/channel-secret.ts';
import type { Quiet } from '#shared/domain/watchlists/quiet-hours.ts';
import type { Acknowledged, Endpoint } from './channel-kind.ts';
import { type Kept, KINDS, type Kind, type PostedKind, SCHEMAS, type Written } from './kinds.ts';
import { unionOf } from './union-of.ts';

/** A stored channel. */
export const Channel = unionOf(Object.values(SCHEMAS).map(({ kept }) => kept));
export type Channel = z.output<typeof Channel>;

/** A channel to which our code posts without SNS. */
export type PostedChannel = Kept[PostedKind];

/**
 * A channel in responses, and in requests that keep its secrets. Secrets are replaced by their
 * names.
 */
export function channelView(channel: Channel): Written[Kind] & Pick<Channel, 'id'> {
  return { ...viewOf(channel.kind, channel, nameOfSecret), id: channel.id };
}

/** A channel as in the request, with its secrets opened. */
export async function openedChannel<Name extends Kind>(
  kind: Name,
  channel: Kept[Name],
  open: (secret: SealedSecret) => Promise<string>,
): Promise<Written[Name]> {
  const secrets = secretsOf(channel);
  const opened = await Promise.all(secrets.map(open));
  return viewOf(kind, channel, (secret) => opened[secrets.indexOf(secret)] ?? '');
}

/** The sealed secrets of a channel. */
export function secretsOf(channel: Channel): readonly SealedSecret[] {
  const secrets: SealedSecret[] = [];
  viewOf(channel.kind, channel, (secret) => {
    secrets.push(secret);
    return '';
  });
  return secrets;
}

/** Whether people read the channel. People get digests, and programs get every alert. */
export function isForPeople({ kind }: Channel): boolean {
  return KINDS[kind].isForPeople;
}

/** The label of a channel in texts, such as `Slack #desk` or `email desk`. */
export function channelInWords(channel: Channel): string {
  const isRoom = isPosted(channel) && isForPeople(channel);
  return `${KINDS[channel.kind].service} ${isRoom ? '#' : ''}${channel.id}`;
}

/** The maximum number of alerts in one message of the channel. */
export function batchSizeOf(channel: Channel): number {
  const { batchSize = 1 } = 'batchSize' in channel ? channel : {};
  return batchSize;
}

/** The quiet hours of a channel; undefined if programs read it. */
export function quietHours(channel: Channel): Quiet | undefined {
  return 'quiet' in channel ? channel.quiet : undefined;
}

/** How a channel shows an acknowledgement. */
export function acknowledgedBy(channel: Channel): Acknowledged {
  const of = <Name extends Kind>(kind: Name, kept: Kept[Name]) => KINDS[kind].acknowledged(kept);
  return of(channel.kind, channel);
}

/** Identifies the receiver of a channel: channels with equal addresses send to the same place. */
export function addressOf(channel: Channel): string {
  const of = <Name extends Kind>(kind: Name, kept: Kept[Name]) => KINDS[kind].addressOf(kept);
  return of(channel.kind, channel);
}

/** The endpoint to subscribe; undefined for a channel to which our code posts without SNS. */
export function endpointOf(channel: Exclude<Channel, PostedChannel>): Endpoint;
export function endpointOf(channel: Channel): Endpoint | undefined;
export function endpointOf(channel: Channel): Endpoint | undefined {
  const of = <Name extends Kind>(kind: Name, kept: Kept[Name]) => {
    const { delivery } = KINDS[kind];
    return typeof delivery === 'string' ? undefined : delivery.endpointOf(kept);
  };
  return of(channel.kind, channel);
}

export function isPosted(channel: Channel): channel is PostedChannel {
  return typeof KINDS[channel.kind].delivery === 'string';
}

function viewOf<Name extends Kind>(
  kind: Name,
  kept: Kept[Name],
  show: (secret: SealedSecret) => string,
): Written[Name] {
  return KINDS[kind].viewOf(kept, show);
}
