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

/** The token of an app's bot, as its page "OAuth & Permissions" shows it. */
const TOKEN_FORM = 'xoxb-[\\w-]{20,200}';

/** Whether a text is the token of a bot, and nothing else. */
export function isSlackToken(text: string): boolean {
  return new RegExp(`^${TOKEN_FORM}$`).test(text);
}

const SlackBotChannel = z.strictObject({
  id: z.string(),
  kind: z.literal('slack_bot'),
  quiet,
  updates,
  token: SealedSecret,
  channel: z.string(),
});

const SlackBotBody = z.strictObject({
  id,
  kind: z.literal('slack_bot'),
  quiet,
  updates,
  token: secretOf(TOKEN_FORM, 'expected the token of a bot, xoxb-…'),
  channel: z
    .string()
    .regex(
      /^[CGD][A-Z0-9]{6,20}$/,
      'expected the id of a channel, as its details in Slack show it: C…',
    ),
});
export type SlackBotBody = z.output<typeof SlackBotBody>;

export const slackBot = {
  ...botToken,
  name: 'SlackBot',
  service: 'Slack',
  words: {
    is: 'A channel of Slack, to which the bot of an app writes',
    members: {
      quiet: QUIET,
      token: `The token of the bot, which needs the right \`chat:write\`. ${SECRET}`,
      channel: 'The id of the channel, to which the bot is invited.',
      updates: UPDATES,
    },
  },
  kept: SlackBotChannel,
  body: SlackBotBody,
  addressOf: ({ token, channel }) => `slack_bot ${nameOfSecret(token)} ${channel}`,
  // An editor of the list that does not know the token could have the bot write to another channel.
  namesRefused: ({ channel }, known) =>
    known.channel === channel
      ? undefined
      : 'expected the token itself, since it leads to another channel',
} satisfies ChannelKind<z.output<typeof SlackBotChannel>, SlackBotBody>;
