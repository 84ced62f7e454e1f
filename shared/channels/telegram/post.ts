import * as z from 'zod';
import { type Chat, SecondsInBody } from '#shared/channels/post-to-chat.ts';
import { JsonText } from '#shared/domain/json-text.ts';
import { isTelegramToken, type TelegramBody } from './kind.ts';
import { telegramMessage } from './message.ts';

/** Telegram's bots, which write to a chat. */
export const telegramChat: Chat<Pick<TelegramBody, 'token' | 'chat'>> = {
  requestOf: ({ token, chat }, notification) =>
    isTelegramToken(token)
      ? {
          url: `https://api.telegram.org/bot${token}/sendMessage`,
          message: { chat_id: chat, ...telegramMessage(notification) },
        }
      : undefined,
  problemIn: ({ status, body }) => {
    const { description, parameters } = Problem.safeParse(body).data ?? {};
    return {
      code: description,
      seconds: parameters?.retry_after,
      isGone: isForGood(status) || (status === 400 && GONE.includes(description ?? '')),
    };
  },
};

/** A token that was revoked, and a chat that the bot may not write to, stay so. */
const isForGood = (status: number) => status === 401 || status === 403;

/** What Telegram says of a chat that is not there any more. */
const GONE = [
  'Bad Request: chat not found',
  'Bad Request: group chat was deactivated',
  'Bad Request: group chat was upgraded to a supergroup chat',
];

/** What Telegram says is wrong, in fixed words, and how many seconds to wait. */
const Problem = JsonText.pipe(
  z.object({
    description: z
      .string()
      .regex(/^(Bad Request|Unauthorized|Forbidden|Not Found)(: [a-z' ]{1,60})?$/)
      .optional()
      .catch(undefined),
    parameters: z.object({ retry_after: SecondsInBody }).optional().catch(undefined),
  }),
);
