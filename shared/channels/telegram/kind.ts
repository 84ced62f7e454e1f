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

/** The token of a bot, as BotFather gives it. */
const TOKEN_FORM = '\\d{6,20}:[\\w-]{30,64}';

/** Whether a text is the token of a bot, and nothing else. */
export function isTelegramToken(text: string): boolean {
  return new RegExp(`^${TOKEN_FORM}$`).test(text);
}

const TelegramChannel = z.strictObject({
  id: z.string(),
  kind: z.literal('telegram'),
  quiet,
  updates,
  token: SealedSecret,
  chat: z.string(),
});

const TelegramBody = z.strictObject({
  id,
  kind: z.literal('telegram'),
  quiet,
  updates,
  token: secretOf(TOKEN_FORM, 'expected the token of a bot, <number>:<letters>'),
  chat: z
    .string()
    .regex(/^(-?[1-9]\d{0,15}|@[A-Za-z]\w{4,31})$/, 'expected the number of a chat, or @channel'),
});
export type TelegramBody = z.output<typeof TelegramBody>;

export const telegram = {
  ...botToken,
  name: 'Telegram',
  service: 'Telegram',
  words: {
    is: 'A chat of Telegram',
    members: {
      quiet: QUIET,
      token: `The token of the bot that writes to the chat. ${SECRET}`,
      chat: 'The number of the chat, or the `@name` of a public channel; the bot must be able to write there.',
      updates: UPDATES,
    },
  },
  kept: TelegramChannel,
  body: TelegramBody,
  addressOf: ({ token, chat }) => `telegram ${nameOfSecret(token)} ${chat}`,
  // An editor of the list that does not know the token could have the bot write to another chat.
  namesRefused: ({ chat }, known) =>
    known.chat === chat ? undefined : 'expected the token itself, since it leads to another chat',
} satisfies ChannelKind<z.output<typeof TelegramChannel>, TelegramBody>;
