import * as z from 'zod';
import type { ChannelKind } from '#shared/channels/channel-kind.ts';
import { secretUrl } from '#shared/channels/secret-url.ts';
import { SealedSecret } from '#shared/domain/channels/channel-secret.ts';
import type { DiscordBody } from './body.ts';

export const DiscordChannel = z.strictObject({
  id: z.string(),
  kind: z.literal('discord'),
  url: SealedSecret,
});
export type DiscordChannel = z.output<typeof DiscordChannel>;

export const discord: ChannelKind<DiscordChannel, DiscordBody> = secretUrl;
