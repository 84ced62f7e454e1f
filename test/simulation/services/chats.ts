import { discordDouble } from '#shared/channels/discord/double.ts';
import { discordChat } from '#shared/channels/discord/post.ts';
import { createPostToChat } from '#shared/channels/post-to-chat.ts';
import { episodeName } from '#shared/domain/alerting/episode.ts';
import { type Notification, notificationId } from '#shared/domain/alerting/notification.ts';
import type { ChatAnswer } from '#shared/domain/channels/chat-answer.ts';
import { MINUTE } from '#shared/domain/market/instant.ts';

/** Channels of Discord as their readers see them: messages are posted, and changed. */
export type Chats = {
  readonly post: (destinationId: string, notification: Notification) => Promise<ChatAnswer>;
};

export type ChatsWorld = {
  readonly now: () => number;
  readonly broken: (invariant: string, what: string) => void;
  readonly met: (what: 'changed message') => void;
};

const { signal } = new AbortController();

/** What is posted goes the way of the product, to the double; its pace has no limits here. */
export function createChats({ now, broken, met }: ChatsWorld): Chats {
  let clock = 0;
  const answerTo = discordDouble.create(() => {
    clock += MINUTE;
    return clock;
  });
  /** Of each message the episode that it is about. */
  const episodes = new Map<string, string | undefined>();

  return {
    post: async (destinationId, notification) => {
      const id = notificationId(notification);
      const episode = notification.kind === 'alert' ? episodeName(notification.alert) : undefined;
      const post = createPostToChat(discordChat, {
        ...{ origin: undefined, now },
        http: {
          request: async ({ method, url, body = '' }) => {
            const { taken, ...said } = answerTo({ method, path: url.pathname, body });
            if (taken === undefined) return { headers: {}, ...said };
            if (!JSON.stringify(taken.message).includes(id)) {
              broken('a channel shows what it is sent', `${destinationId}: ${id}`);
            }
            if (taken.edits === undefined) return { headers: {}, ...said };
            met('changed message');
            if (episode === undefined || episodes.get(taken.edits) !== episode) {
              broken('news are written into no other episode', `${destinationId}: ${id}`);
            }
            return { headers: {}, ...said };
          },
        },
      });
      const url = 'https://discord.com/api/webhooks/1/simulated' as const;
      const answer = await post({ url }, notification, signal);
      if (answer.kind !== 'sent')
        broken('a channel takes what it is sent', `${destinationId}: ${id}`);
      else if (answer.shows !== undefined) episodes.set(answer.shows, episode);
      return answer;
    },
  };
}
