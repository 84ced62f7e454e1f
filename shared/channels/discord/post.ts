import * as z from 'zod';
import { isEdited } from '#shared/channels/channel-kind.ts';
import { type Chat, SecondsInBody } from '#shared/channels/post-to-chat.ts';
import { JsonText } from '#shared/domain/json-text.ts';
import { type DiscordBody, isDiscordUrl } from './kind.ts';
import { discordMessage } from './message.ts';

/** Discord's webhooks. With `wait=true` Discord responds after it has stored the message. */
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
  // Discord's "Edit Webhook Message".
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

/** The id of the accepted message. */
const Taken = JsonText.pipe(z.object({ id: z.string().regex(/^\d{1,20}$/) }));

const UNKNOWN_WEBHOOK = 10_015;

/** Discord's error code, and the seconds to wait. */
const Problem = JsonText.pipe(
  z.object({ code: z.int().optional().catch(undefined), retry_after: SecondsInBody }),
);
