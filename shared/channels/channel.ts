import * as z from 'zod';
import type { SealedSecret } from '#shared/domain/channels/channel-secret.ts';
import type { ChannelBody } from './channel-body.ts';
import type { ChannelKind, Endpoint } from './channel-kind.ts';
import { DiscordChannel, discord } from './discord/kind.ts';
import { EmailChannel, email } from './email/kind.ts';
import { SlackChannel, slack } from './slack/kind.ts';
import { SqsChannel, sqs } from './sqs/kind.ts';
import { WebhookChannel, webhook } from './webhook/kind.ts';

/** A channel as its list keeps it. */
export const Channel = z.discriminatedUnion('kind', [
  EmailChannel,
  SqsChannel,
  SlackChannel,
  DiscordChannel,
  WebhookChannel,
]);
export type Channel = z.output<typeof Channel>;

export type Kind = Channel['kind'];
export type Kept = { readonly [Name in Kind]: Extract<Channel, { kind: Name }> };
export type Written = { readonly [Name in Kind]: Extract<ChannelBody, { kind: Name }> };

/** The kinds; one that is missing here does not compile. */
const KINDS: { readonly [Name in Kind]: ChannelKind<Kept[Name], Written[Name]> } = {
  ...{ email, sqs, slack, discord, webhook },
};

/** A channel as its owner reads it, and may write it again: secrets by their names. */
export function channelView(channel: Channel): ChannelBody {
  const viewOf = <Name extends Kind>(kind: Name, kept: Kept[Name]) => KINDS[kind].viewOf(kept);
  return viewOf(channel.kind, channel);
}

/** The secrets that a channel keeps. */
export function secretsOf(channel: Channel): readonly SealedSecret[] {
  const of = <Name extends Kind>(kind: Name, kept: Kept[Name]) => KINDS[kind].secretsOf(kept);
  return of(channel.kind, channel);
}

/** Whether people read the channel: they get digests, programs get every alert singly. */
export function isForPeople({ kind }: Channel): boolean {
  return KINDS[kind].isForPeople;
}

/** Identifies where a channel sends: two channels with one address send to the same place. */
export function addressOf(channel: Channel): string {
  const of = <Name extends Kind>(kind: Name, kept: Kept[Name]) => KINDS[kind].addressOf(kept);
  return of(channel.kind, channel);
}

/** Where a channel is to be subscribed; undefined for one that we post to ourselves. */
export function endpointOf(channel: Channel): Endpoint | undefined {
  const of = <Name extends Kind>(kind: Name, kept: Kept[Name]) => KINDS[kind].endpointOf(kept);
  return of(channel.kind, channel);
}
