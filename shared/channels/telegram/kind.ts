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

/** The token of a bot, from BotFather. */
const TOKEN_FORM = '\\d{6,20}:[\\w-]{30,64}';

export function isTelegramToken(text: string): boolean {
  return new RegExp(`^${TOKEN_FORM}$`).test(text);
}

const TelegramChannel = z.lazy(() =>
  z.strictObject({
    id: z.string(),
    kind: z.literal('telegram'),
    quiet,
    updates,
    token: SealedSecret,
    chat: z.string(),
  }),
);

const TelegramBody = z.lazy(() =>
  z.strictObject({
    id,
    kind: z.literal('telegram'),
    quiet,
    updates,
    token: secretOf(TOKEN_FORM, 'expected a bot token, <number>:<letters>'),
    chat: z
      .string()
      .regex(
        /^(-?[1-9]\d{0,15}|@[A-Za-z]\w{4,31})$/,
        'expected the numeric id of a chat, or @channel',
      ),
  }),
);
export type TelegramBody = z.output<typeof TelegramBody>;

export const telegram = {
  ...botToken,
  name: 'Telegram',
  service: 'Telegram',
  words: {
    is: 'A Telegram chat',
    members: {
      quiet: QUIET,
      token: `The token of the bot that writes to the chat. ${SECRET}`,
      chat: 'The numeric id of the chat, or the `@name` of a public channel. The bot must be allowed to write there.',
      updates: UPDATES,
    },
  },
  kept: TelegramChannel,
  body: TelegramBody,
  addressOf: ({ token, chat }) => `telegram ${nameOfSecret(token)} ${chat}`,
  // A changed chat requires the full token: otherwise editors who do not have it could make the bot
  // write to another chat.
  namesRefused: ({ chat }, known) =>
    known.chat === chat ? undefined : 'expected the full token, because "chat" has changed',
} satisfies ChannelKind<z.output<typeof TelegramChannel>, TelegramBody>;
