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

/** Discord channels as their readers see them: messages are posted and edited. */
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

/** Posts with the product's client to the fake of Discord, which has no rate limits here. */
export function createChats({ now, broken, met }: ChatsWorld): Chats {
  let clock = 0;
  const answerTo = discordDouble.create(() => {
    clock += MINUTE;
    return clock;
  });
  /** The episode of each message. */
  const episodes = new Map<string, string | undefined>();
  /** The latest message that each channel shows for each episode. */
  const shown = new Map<string, Shown>();

  /** A later message or edit must not hide what the channel has shown about an episode. */
  const see = (place: string, kind: AlertKind, next: Shown, isEdit: boolean) => {
    const before = shown.get(place);
    shown.set(place, next);
    // A disturbed worker may not have recorded its message.
    if ((before?.by.disturbance ?? next.by.disturbance) !== undefined) return;
    if (kind === 'acknowledged') {
      met('acknowledgement shown');
      if (!isEdit) broken('an acknowledgement edits a message', place);
      // The title of a summary contains the current state of its rule.
      const isSummary = (title = '') => title.includes('held back');
      const isSame =
        next.title === before?.title || (isSummary(next.title) && isSummary(before?.title));
      if (!isSame || next.acknowledged === undefined)
        broken('an acknowledgement keeps the title of its message', `${place}: ${next.title}`);
    } else if (isEdit && before?.acknowledged !== undefined && next.acknowledged === undefined) {
      broken('an edit keeps the acknowledgement of its episode', `${place}: ${next.title}`);
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
              broken('a channel shows each message that it accepts', `${destinationId}: ${id}`);
            }
            if (notification.kind === 'alert' && episode !== undefined) {
              const place = `${destinationId} ${episode}`;
              const isEdit = taken.edits !== undefined;
              see(place, notification.alert.kind, { ...shownIn(taken.message), by }, isEdit);
            }
            if (taken.edits === undefined) return { headers: {}, ...said };
            met('changed message');
            if (episode === undefined || episodes.get(taken.edits) !== episode) {
              broken('an edit changes only messages of its episode', `${destinationId}: ${id}`);
            }
            return { headers: {}, ...said };
          },
        },
      });
      const url = 'https://discord.com/api/webhooks/1/simulated' as const;
      const answer = await post({ url }, notification, signal);
      if (answer.kind !== 'sent')
        broken('a channel accepts every message', `${destinationId}: ${id}`);
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

/** The parts of a Discord message that its readers see. */
function shownIn(message: unknown): Omit<Shown, 'by'> {
  const [{ title, fields = [] }] = (message as ReturnType<typeof discordMessage>).embeds;
  return { title, acknowledged: fields.find(({ name }) => name === 'Acknowledged')?.value };
}
