import { discordDouble } from '#shared/channels/discord/double.ts';
import type { discordMessage } from '#shared/channels/discord/message.ts';
import { discordChat } from '#shared/channels/discord/post.ts';
import { createPostToChat } from '#shared/channels/post-to-chat.ts';
import type { AlertKind } from '#shared/domain/alerting/alert.ts';
import { episodeName } from '#shared/domain/alerting/episode.ts';
import { type Notification, notificationId } from '#shared/domain/alerting/notification.ts';
import type { ChatAnswer } from '#shared/domain/channels/chat-answer.ts';
import { MINUTE } from '#shared/domain/market/instant.ts';
import type { Invocation } from './sandbox.ts';

/** Channels of Discord as their readers see them: messages are posted, and changed. */
export type Chats = {
  readonly post: (
    destinationId: string,
    notification: Notification,
    by: Invocation,
  ) => Promise<ChatAnswer>;
};

export type ChatsWorld = {
  readonly now: () => number;
  readonly broken: (invariant: string, what: string) => void;
  readonly met: (what: 'changed message' | 'acknowledgement shown') => void;
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
  /** What each channel shows of each episode. */
  const shown = new Map<string, Shown>();

  /** Nothing that a channel has shown of an episode is gone with a later message or change. */
  const see = (place: string, kind: AlertKind, next: Shown, isEdit: boolean) => {
    const before = shown.get(place);
    shown.set(place, next);
    // A disturbed worker may have noted nothing of its message.
    if ((before?.by.disturbance ?? next.by.disturbance) !== undefined) return;
    if (kind === 'acknowledged') {
      met('acknowledgement shown');
      if (!isEdit) broken('an acknowledgement is no message of its own', place);
      // A summary tells how its rule stands now.
      const isSummary = (title = '') => title.includes('held back');
      const isSame =
        next.title === before?.title || (isSummary(next.title) && isSummary(before?.title));
      if (!isSame || next.acknowledged === undefined)
        broken('an acknowledgement stands beside the newest news', `${place}: ${next.title}`);
    } else if (isEdit && before?.acknowledged !== undefined && next.acknowledged === undefined) {
      broken('who takes care of an episode stays known', `${place}: ${next.title}`);
    }
  };

  return {
    post: async (destinationId, notification, by) => {
      const id = notificationId(notification);
      const episode = notification.kind === 'alert' ? episodeName(notification.alert) : undefined;
      const post = createPostToChat(discordChat, {
        ...{ origin: undefined, now },
        http: {
          request: async ({ method, url, body = '' }) => {
            const { taken, ...said } = answerTo({ method, path: url.pathname, body: String(body) });
            if (taken === undefined) return { headers: {}, ...said };
            if (!JSON.stringify(taken.message).includes(id)) {
              broken('a channel shows what it is sent', `${destinationId}: ${id}`);
            }
            if (notification.kind === 'alert' && episode !== undefined) {
              const place = `${destinationId} ${episode}`;
              const isEdit = taken.edits !== undefined;
              see(place, notification.alert.kind, { ...shownIn(taken.message), by }, isEdit);
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

type Shown = {
  readonly title: string;
  readonly acknowledged: string | undefined;
  readonly by: Invocation;
};

/** What readers see in a message of Discord. */
function shownIn(message: unknown): Omit<Shown, 'by'> {
  const [{ title, fields = [] }] = (message as ReturnType<typeof discordMessage>).embeds;
  return { title, acknowledged: fields.find(({ name }) => name === 'Acknowledged')?.value };
}
