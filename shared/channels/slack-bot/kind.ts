import * as z from 'zod';
import { botToken } from '#shared/channels/bot-token.ts';
import {
  type ChannelKind,
  id,
  QUIET,
  quiet,
  SECRET,
  secretOf,
  UPDATES,
  updates,
} from '#shared/channels/channel-kind.ts';
import { nameOfSecret, SealedSecret } from '#shared/domain/channels/channel-secret.ts';

/** The token of an app's bot, from its page "OAuth & Permissions". */
const TOKEN_FORM = 'xoxb-[\\w-]{20,200}';

export function isSlackToken(text: string): boolean {
  return new RegExp(`^${TOKEN_FORM}$`).test(text);
}

const SlackBotChannel = z.lazy(() =>
  z.strictObject({
    id: z.string(),
    kind: z.literal('slack_bot'),
    quiet,
    updates,
    token: SealedSecret,
    channel: z.string(),
  }),
);

const SlackBotBody = z.lazy(() =>
  z.strictObject({
    id,
    kind: z.literal('slack_bot'),
    quiet,
    updates,
    token: secretOf(TOKEN_FORM, 'expected a bot token, xoxb-…'),
    channel: z
      .string()
      .regex(
        /^[CGD][A-Z0-9]{6,20}$/,
        'expected a channel ID, C…, which Slack shows in the details of the channel',
      ),
  }),
);
export type SlackBotBody = z.output<typeof SlackBotBody>;

export const slackBot = {
  ...botToken,
  name: 'SlackBot',
  service: 'Slack',
  words: {
    is: 'A Slack channel to which the bot of an app posts',
    members: {
      quiet: QUIET,
      token: `The token of the bot, which needs the scope \`chat:write\`. ${SECRET}`,
      channel: 'The id of the channel. The bot must be a member of it.',
      updates: UPDATES,
    },
  },
  kept: SlackBotChannel,
  body: SlackBotBody,
  addressOf: ({ token, channel }) => `slack_bot ${nameOfSecret(token)} ${channel}`,
  // A changed channel requires the full token: otherwise editors who do not have it could make the
  // bot write to another channel.
  namesRefused: ({ channel }, known) =>
    known.channel === channel
      ? undefined
      : 'expected the full token, because "channel" has changed',
} satisfies ChannelKind<z.output<typeof SlackBotChannel>, SlackBotBody>;
