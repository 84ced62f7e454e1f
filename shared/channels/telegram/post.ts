import * as z from 'zod';
import { isEdited } from '#shared/channels/channel-kind.ts';
import { type Chat, SecondsInBody } from '#shared/channels/post-to-chat.ts';
import type { Notification } from '#shared/domain/alerting/notification.ts';
import { JsonText } from '#shared/domain/json-text.ts';
import { isTelegramToken, type TelegramBody } from './kind.ts';
import { telegramMessage } from './message.ts';

/** Telegram bots, which write to a chat. */
export const telegramChat: Chat<Pick<TelegramBody, 'token' | 'chat' | 'updates'>> = {
  requestOf: (address, notification) => callOf(address, 'sendMessage', notification),
  problemIn: ({ status, body }) => {
    const { description, parameters } = Problem.safeParse(body).data ?? {};
    return {
      code: description,
      seconds: parameters?.retry_after,
      isGone: isForGood(status) || (status === 400 && GONE.includes(description ?? '')),
    };
  },
  editing: {
    isWanted: isEdited,
    messageIn: ({ body }) => Taken.safeParse(body).data?.result.message_id.toString(),
    editOf: (address, notification, message) =>
      callOf(address, 'editMessageText', notification, { message_id: Number(message) }),
    isUnchanged: ({ status, body }) =>
      status === 400 && body.includes('Bad Request: message is not modified'),
  },
};

function callOf(
  { token, chat }: Pick<TelegramBody, 'token' | 'chat'>,
  method: 'sendMessage' | 'editMessageText',
  notification: Notification,
  about: object = {},
) {
  if (!isTelegramToken(token)) return undefined;
  return {
    url: `https://api.telegram.org/bot${token}/${method}`,
    message: { chat_id: chat, ...about, ...telegramMessage(notification) },
  };
}

/** The id of the accepted message. */
const Taken = JsonText.pipe(z.object({ result: z.object({ message_id: z.int().positive() }) }));

/** A revoked token or a missing permission is permanent. */
const isForGood = (status: number) => status === 401 || status === 403;

/** Telegram's errors for a chat that no longer exists. */
const GONE = [
  'Bad Request: chat not found',
  'Bad Request: group chat was deactivated',
  'Bad Request: group chat was upgraded to a supergroup chat',
];

/** Telegram's error text, and the seconds to wait. */
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
