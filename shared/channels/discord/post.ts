import * as z from 'zod';
import { isEdited } from '#shared/channels/channel-kind.ts';
import { type Chat, SecondsInBody } from '#shared/channels/post-to-chat.ts';
import { JsonText } from '#shared/domain/json-text.ts';
import { type DiscordBody, isDiscordUrl } from './kind.ts';
import { discordMessage } from './message.ts';

/** Discord's webhooks. It is asked to wait, so that what it says is about the message. */
export const discordChat: Chat<Pick<DiscordBody, 'url' | 'updates'>> = {
  requestOf: ({ url }, notification) =>
    isDiscordUrl(url)
      ? { url: `${url}?wait=true`, message: discordMessage(notification) }
      : undefined,
  problemIn: ({ body }) => {
    const { code, retry_after: seconds } = Problem.safeParse(body).data ?? {};
    return {
      code: code === undefined ? undefined : `code ${code}`,
      seconds,
      isGone: code === UNKNOWN_WEBHOOK,
    };
  },
  // "Edit Webhook Message".
  editing: {
    isWanted: isEdited,
    messageIn: ({ body }) => Taken.safeParse(body).data?.id,
    editOf: ({ url }, notification, message) =>
      isDiscordUrl(url)
        ? {
            ...{ method: 'PATCH', url: `${url}/messages/${message}` },
            message: discordMessage(notification),
          }
        : undefined,
  },
};

/** The message that Discord has taken. */
const Taken = JsonText.pipe(z.object({ id: z.string().regex(/^\d{1,20}$/) }));

const UNKNOWN_WEBHOOK = 10_015;

/** What Discord says is wrong, by a number, and how many seconds to wait. */
const Problem = JsonText.pipe(
  z.object({ code: z.int().optional().catch(undefined), retry_after: SecondsInBody }),
);
