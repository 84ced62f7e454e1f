import { type Open, SealError } from '#shared/clients/sealer.ts';
import type { Notification } from '#shared/domain/alerting/notification.ts';
import { ChannelKeyError, type SealedSecret } from '#shared/domain/channels/channel-secret.ts';
import type { ChatAnswer } from '#shared/domain/channels/chat-answer.ts';
import type { WebhookDestinations } from '#shared/domain/channels/webhook-destinations.ts';
import type { WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import { type Channel, openedChannel, type PostedChannel } from './channel.ts';
import type { ChatOrigins } from './chat-origins.ts';
import { CHATS } from './chats.ts';
import type { ChatKind, Kept, Written } from './kinds.ts';
import { type Chat, type ChatWorld, createPostToChat, type Vapid } from './post-to-chat.ts';
import type { SignedWebhooks } from './webhook/post.ts';

/** Posts a notification to a channel of a list. */
export type SendToChannel = (
  list: WatchlistId,
  channel: PostedChannel,
  notification: Notification,
  signal: AbortSignal,
) => Promise<ChatAnswer>;

export type ChannelClients = {
  readonly open: Open;
  readonly postToChat: PostToChats;
  readonly webhooks: SignedWebhooks;
};

/** Opens the sealed secrets of a channel, then posts. */
export function createChannelSender({ open, postToChat, webhooks }: ChannelClients): SendToChannel {
  return async (list, channel, notification, signal) => {
    const opened = openedBy(open, list, channel);
    const postTo = async <Name extends ChatKind>(kind: Name, kept: Kept[Name]) =>
      await postToChat(kind, await openedChannel(kind, kept, opened), notification, signal);
    return await unlessLocked(async () => {
      if (channel.kind !== 'webhook') return await postTo(channel.kind, channel);
      const { url, secrets } = await openedChannel(channel.kind, channel, opened);
      return await webhooks.post(url, secrets, notification, signal);
    });
  };
}

/** Posts to a chat. */
export type PostToChats = <Name extends ChatKind>(
  kind: Name,
  address: Written[Name],
  notification: Notification,
  signal: AbortSignal,
) => Promise<ChatAnswer>;

export type ChatsWorld = ChatWorld & {
  readonly vapid: Vapid;
  readonly destinations: WebhookDestinations;
  readonly origins: ChatOrigins;
};

/** Posts to chats of all kinds, at their real services or at the given origins. */
export function createChats(world: ChatsWorld): PostToChats {
  const { destinations, origins } = world;
  // A local stack fails to start without an origin for each kind.
  for (const kind of Object.keys(CHATS)) {
    if (destinations !== 'public' && origins[kind] === undefined)
      throw new MissingOriginError(kind);
  }
  return async (kind, address, notification, signal) => {
    const chat: Chat<typeof address> = CHATS[kind];
    const post = createPostToChat(chat, { ...world, origin: origins[kind] });
    return await post(address, notification, signal);
  };
}

class MissingOriginError extends Error {
  override readonly name = 'MissingOriginError';
  readonly code = 'missing_chat_origin';

  constructor(kind: string) {
    super(
      `CHAT_ORIGINS has no origin for ${kind}: a local stack needs a fake of every chat, because it never calls real services`,
    );
  }
}

/** Asks a webhook of a list to prove that it accepts alerts. */
export type ProveWebhook = (
  list: WatchlistId,
  channel: Kept['webhook'],
  signal: AbortSignal,
) => Promise<ChatAnswer>;

/** Opens the signing secrets of a webhook and posts a challenge. */
export function createWebhookProver({
  open,
  webhooks,
}: Pick<ChannelClients, 'open' | 'webhooks'>): ProveWebhook {
  return async (list, channel, signal) =>
    await unlessLocked(async () => {
      const secrets = await Promise.all(channel.secrets.map(openedBy(open, list, channel)));
      return await webhooks.prove(channel.url, secrets, signal);
    });
}

function openedBy(open: Open, { tenant, id }: WatchlistId, channel: Channel) {
  return ({ sealed }: SealedSecret) => open({ tenant, list: id, channel: channel.id }, sealed);
}

async function unlessLocked(work: () => Promise<ChatAnswer>): Promise<ChatAnswer> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SealError || error instanceof ChannelKeyError)) throw error;
    // The failure is temporary: the operators may restore the key, or the owner may enter the
    // secret again.
    return { kind: 'failed', reason: error.message };
  }
}
