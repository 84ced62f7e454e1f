import * as z from 'zod';
import { type ChannelBodyKind, id, secretOf } from '#shared/channels/channel-body-kind.ts';
import { secretUrlBody } from '#shared/channels/secret-url-body.ts';
import { isDiscordUrl } from './address.ts';
import type { DiscordChannel } from './kind.ts';

export const DiscordBody = z.strictObject({
  id,
  kind: z.literal('discord'),
  url: secretOf(isDiscordUrl, 'expected https://discord.com/api/webhooks/<number>/<token>'),
});
export type DiscordBody = z.output<typeof DiscordBody>;

export const discordBody: ChannelBodyKind<DiscordChannel, DiscordBody> = secretUrlBody;
