import type { AlertTopics } from '#shared/clients/alert-topics.ts';
import type { HttpClient, HttpGuard, HttpLimits } from '#shared/clients/http-client.ts';
import { createOpen } from '#shared/clients/sealer.ts';
import type { ReadSecret } from '#shared/clients/secrets.ts';
import type { ChatAnswer } from '#shared/domain/channels/chat-answer.ts';
import { channelDestinationId } from '#shared/domain/channels/destination-id.ts';
import { endpointOf, isPosted } from './channel.ts';
import {
  type ChatsWorld,
  createChannelSender,
  createChats,
  createWebhookProver,
} from './channel-sender.ts';
import type { Destinations } from './destination.ts';
import { type EmailWorld, postEmail } from './email/post.ts';
import { createStackSlack } from './slack/post.ts';
import {
  createSignedWebhooks,
  createWebhookClients,
  type SignedWebhooksWorld,
} from './webhook/post.ts';

export type DestinationClients = Omit<ChatsWorld, 'http'> &
  SignedWebhooksWorld & {
    readonly httpClient: (limits: HttpLimits, guard?: HttpGuard) => HttpClient;
    readonly topics: Pick<AlertTopics, 'publishToStack' | 'publishToChannel'>;
    /** Undefined if the stage has no sender of emails, so that SNS topics send all emails. */
    readonly emails: EmailWorld | undefined;
    /** The key that opens secrets of channels. */
    readonly readChannelKey: ReadSecret;
    /** Undefined if the operators have no Slack webhook. */
    readonly readStackSlackUrl: ReadSecret | undefined;
  };

/** Creates the senders for all destinations. These senders call the real services. */
export function createDestinations(clients: DestinationClients): Destinations {
  const { httpClient, topics, emails, destinations, readStackSlackUrl } = clients;
  const limits = { deadlineMs: 5000, maxConnections: 2 };
  // Users choose the host for some kinds of chat, so chats need the same guard as webhooks.
  const guard = { destinations };
  const postToChat = createChats({
    ...clients,
    http: httpClient({ ...limits, maxBodyBytes: 64 * 1024 }, guard),
  });
  const webhooks = createSignedWebhooks(createWebhookClients(httpClient, limits, guard), clients);
  const open = createOpen(clients.readChannelKey);
  const sendToChannel = createChannelSender({ open, postToChat, webhooks });
  const proveWebhook = createWebhookProver({ open, webhooks });
  const sendToStackSlack =
    readStackSlackUrl === undefined
      ? async (): Promise<ChatAnswer> => ({
          kind: 'refused',
          reason: 'the stack has no Slack webhook',
        })
      : createStackSlack(
          (url, ...message) => postToChat('slack', { kind: 'slack', url }, ...message),
          readStackSlackUrl,
        );

  return {
    send: async (destination, notification, signal, subscription) => {
      if (destination.kind === 'stack-slack') return await sendToStackSlack(notification, signal);
      if (destination.kind === 'stack-topic') {
        await topics.publishToStack(notification);
        return { kind: 'accepted' };
      }
      const { list, channel } = destination;
      if (isPosted(channel)) return await sendToChannel(list, channel, notification, signal);
      const publish = async () => ({
        kind: await topics.publishToChannel(
          list,
          { channel: channel.id, ...endpointOf(channel) },
          notification,
        ),
      });
      if (channel.kind !== 'email' || emails === undefined) return await publish();
      const link = { destinationId: channelDestinationId(list, channel.id), to: channel.to };
      return await postEmail(emails, link, subscription, notification, publish, signal);
    },

    prove: ({ list, channel }, signal) => proveWebhook(list, channel, signal),
  };
}
