import type { Channel } from '#shared/channels/channel.ts';
import { type Open, SealError } from '#shared/clients/sealer.ts';
import type { Notification } from '#shared/domain/alerting/notification.ts';
import { ChannelKeyError, type SealedSecret } from '#shared/domain/channels/channel-secret.ts';
import type { ChatAnswer } from '#shared/domain/channels/chat-answer.ts';
import type { WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import type { Discord } from './discord/post.ts';
import type { Slack } from './slack/post.ts';
import type { SignedWebhooks } from './webhook/post.ts';

/** A channel that we post to ourselves; the others get their notifications from a topic. */
export type PostedChannel = Extract<Channel, { kind: 'slack' | 'discord' | 'webhook' }>;

/** Posts a notification to a channel of a list, whatever its kind. */
export type SendToChannel = (
  list: WatchlistId,
  channel: PostedChannel,
  notification: Notification,
  signal: AbortSignal,
) => Promise<ChatAnswer>;

export type ChannelClients = {
  readonly open: Open;
  readonly slack: Slack;
  readonly discord: Discord;
  readonly webhooks: SignedWebhooks;
};

/** Opens what a channel keeps sealed, and posts. */
export function createChannelSender({
  open,
  slack,
  discord,
  webhooks,
}: ChannelClients): SendToChannel {
  return async (list, channel, notification, signal) => {
    const opened = openedBy(open, list, channel);
    return await unlessLocked(async () => {
      switch (channel.kind) {
        case 'slack':
          return await slack.post(await opened(channel.url), notification, signal);
        case 'discord':
          return await discord.post(await opened(channel.url), notification, signal);
        case 'webhook': {
          const secrets = await Promise.all(channel.secrets.map(opened));
          return await webhooks.post(channel.url, secrets, notification, signal);
        }
      }
    });
  };
}

/** Asks a webhook of a list for the proof that it wants alerts. */
export type ProveWebhook = (
  list: WatchlistId,
  channel: Extract<Channel, { kind: 'webhook' }>,
  signal: AbortSignal,
) => Promise<ChatAnswer>;

/** Opens the secrets that a challenge is signed with, and posts it. */
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
    // Not for good: the operators may put the key back, the owner may give the secret again.
    return { kind: 'failed', reason: error.message };
  }
}
