import * as z from 'zod';
import {
  acknowledgedInMessage,
  type ChannelKind,
  id,
  QUIET,
  quiet,
  SECRET,
  secretOf,
  UPDATES,
  updates,
} from '#shared/channels/channel-kind.ts';
import { secretUrl } from '#shared/channels/secret-url.ts';
import { SealedSecret } from '#shared/domain/channels/channel-secret.ts';

/** The URL of a Discord webhook. */
const URL_FORM = 'https://discord\\.com/api/webhooks/\\d{1,20}/[\\w-]{1,200}';

export function isDiscordUrl(text: string): boolean {
  return new RegExp(`^${URL_FORM}$`).test(text);
}

const DiscordChannel = z.lazy(() =>
  z.strictObject({
    id: z.string(),
    kind: z.literal('discord'),
    quiet,
    updates,
    url: SealedSecret,
  }),
);

const DiscordBody = z.lazy(() =>
  z.strictObject({
    id,
    kind: z.literal('discord'),
    quiet,
    updates,
    url: secretOf(URL_FORM, 'expected https://discord.com/api/webhooks/<number>/<token>'),
  }),
);
export type DiscordBody = z.output<typeof DiscordBody>;

export const discord = {
  ...secretUrl,
  acknowledged: acknowledgedInMessage,
  name: 'Discord',
  service: 'Discord',
  words: {
    is: 'A Discord channel',
    members: { quiet: QUIET, url: `The URL of the webhook. ${SECRET}`, updates: UPDATES },
  },
  kept: DiscordChannel,
  body: DiscordBody,
} satisfies ChannelKind<z.output<typeof DiscordChannel>, DiscordBody>;
