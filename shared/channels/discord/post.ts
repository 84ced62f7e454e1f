import * as z from 'zod';
import { type Chat, SecondsInBody } from '#shared/channels/post-to-chat.ts';
import { JsonText } from '#shared/domain/json-text.ts';
import { type DiscordBody, isDiscordUrl } from './kind.ts';
import { discordMessage } from './message.ts';

/** Discord's webhooks. It is asked to wait, so that what it says is about the message. */
export const discordChat: Chat<Pick<DiscordBody, 'url'>> = {
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
};

const UNKNOWN_WEBHOOK = 10_015;

/** What Discord says is wrong, by a number, and how many seconds to wait. */
const Problem = JsonText.pipe(
  z.object({ code: z.int().optional().catch(undefined), retry_after: SecondsInBody }),
);
