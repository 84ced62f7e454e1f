import * as z from 'zod';
import type { ChannelBody } from './channel-body.ts';
import { nameOfSecret, SealedSecret } from './channel-secret.ts';

/** A channel as its list keeps it. */
export const Channel = z.discriminatedUnion('kind', [
  z.strictObject({ id: z.string(), kind: z.literal('email'), to: z.string() }),
  z.strictObject({ id: z.string(), kind: z.literal('sqs'), queue: z.string() }),
  z.strictObject({ id: z.string(), kind: z.literal('slack'), url: SealedSecret }),
  z.strictObject({ id: z.string(), kind: z.literal('discord'), url: SealedSecret }),
  z.strictObject({
    id: z.string(),
    kind: z.literal('webhook'),
    url: z.string(),
    secrets: z.array(SealedSecret).readonly(),
  }),
]);
export type Channel = z.output<typeof Channel>;

/** A channel as its owner reads it, and may write it again: secrets by their names. */
export function channelView(channel: Channel): ChannelBody {
  switch (channel.kind) {
    case 'slack':
    case 'discord':
      return { ...channel, url: nameOfSecret(channel.url) };
    case 'webhook':
      return { ...channel, secrets: channel.secrets.map(nameOfSecret) };
    case 'email':
    case 'sqs':
      return channel;
  }
}

/** The secrets that a channel keeps. */
export function secretsOf(channel: Channel): readonly SealedSecret[] {
  switch (channel.kind) {
    case 'slack':
    case 'discord':
      return [channel.url];
    case 'webhook':
      return channel.secrets;
    case 'email':
    case 'sqs':
      return [];
  }
}

/** Whether people read the channel: they get digests, programs get every alert singly. */
export function isForPeople({ kind }: Channel): boolean {
  return kind !== 'sqs' && kind !== 'webhook';
}

/** Reports where a channel leads from wherever else it may have led, or be made to lead. */
export function addressOf(channel: Channel): string {
  switch (channel.kind) {
    case 'email':
      return `email ${channel.to}`;
    case 'sqs':
      return `sqs ${channel.queue}`;
    case 'slack':
    case 'discord':
      return `${channel.kind} ${nameOfSecret(channel.url)}`;
    case 'webhook':
      return `webhook ${channel.url}`;
  }
}
