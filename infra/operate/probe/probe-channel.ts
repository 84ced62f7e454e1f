import type { ChannelBody } from '#shared/channels/channel-body.ts';
import type { ChatOrigins } from '#shared/channels/chat-origins.ts';
import { CHATS } from '#shared/channels/chats.ts';
import type { ChatKind, PostedKind, Written } from '#shared/channels/kinds.ts';
import { type Chat, createPostToChat } from '#shared/channels/post-to-chat.ts';
import { createSignedWebhooks } from '#shared/channels/webhook/post.ts';
import { type HttpClient, HttpError, type HttpResponse } from '#shared/clients/http-client.ts';
import { sampleAlert } from '#shared/domain/channels/channel-alerts.ts';
import type { ChatAnswer } from '#shared/domain/channels/chat-answer.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { compareClock } from './compare-exchange.ts';
import { compareAnswer } from './finding.ts';
import type { Probed } from './probe-provider.ts';
import { recordExchanges } from './record-exchanges.ts';

export type ChannelWorld = {
  readonly http: HttpClient;
  /** The client for webhooks, which rejects addresses that are not public. */
  readonly strangers: HttpClient;
  readonly now: () => Instant;
  /** The origins of chat services; fakes may replace them. */
  readonly origins: ChatOrigins;
  readonly newChallenge: () => string;
};

/** A channel that this command cannot probe, with the reason. */
export type Skipped = { readonly subject: string; readonly reason: string };

/**
 * Probes a channel with one call that sends no message to people. With `sends` it posts a sample
 * alert, as the test of a channel does.
 */
export async function probeChannel(
  channel: ChannelBody,
  sends: boolean,
  world: ChannelWorld,
  signal: AbortSignal,
): Promise<Probed | Skipped> {
  const subject = channel.id === undefined ? channel.kind : `${channel.kind} (${channel.id})`;
  if (channel.kind === 'email' || channel.kind === 'sqs') {
    return {
      subject,
      reason: 'channels of this kind get messages through SNS, which this command cannot probe',
    };
  }
  if (channel.kind === 'push') {
    return {
      subject,
      reason:
        'only the stack has the key for this channel: send a test message from the console instead',
    };
  }
  const ask = sends ? sampleAlertTo(channel) : readOnlyCall(channel);
  if (ask === undefined) {
    return {
      subject,
      reason: 'this service has no read-only call: use --send to post a sample alert',
    };
  }
  const { name: answer } = ask;
  const chats = recordExchanges(world.http, world.now);
  const strangers = recordExchanges(world.strangers, world.now);
  const recorded = { ...world, http: chats.http, strangers: strangers.http };
  const said = await ask.call(recorded, signal);
  const exchanges = [...chats.take(), ...strangers.take()];
  const compare = compareAnswer(subject, answer);
  const found = said.kind === 'sent' ? 'accepted' : 'reason' in said ? said.reason : said.kind;
  const delivery = compare('delivery', said.kind === 'sent', 'accepted', found);
  const clocks = exchanges.flatMap((exchange) => compareClock(compare, exchange));
  return { subject, findings: [delivery, ...clocks], exchanges };
}

type Ask = {
  readonly name: string;
  readonly call: (world: ChannelWorld, signal: AbortSignal) => Promise<ChatAnswer>;
};

function sampleAlertTo(channel: Written[ProbedKind]): Ask {
  return {
    name: 'sample alert',
    call: async (world, signal) => {
      const place = { list: { tenant: 'probe', id: 'probe' }, channel: channel.id ?? channel.kind };
      const alert = sampleAlert(place, world.now(), world.now());
      const notification = { kind: 'alert', alert } as const;
      if (channel.kind === 'webhook') {
        return await webhooks(world).post(channel.url, channel.secrets, notification, signal);
      }
      const post = async <Name extends ChatKind>(kind: Name, address: Written[Name]) => {
        const chat: Chat<Written[Name]> = CHATS[kind];
        const origin = world.origins[kind];
        return await createPostToChat(chat, { ...world, origin })(address, notification, signal);
      };
      return await post(channel.kind, channel);
    },
  };
}

/** A kind of channel that accepts messages from anybody who knows the channel's secret. */
type ProbedKind = Exclude<PostedKind, 'push'>;

/** Undefined if each call to the service sends a message. */
function readOnlyCall(channel: Written[ProbedKind]): Ask | undefined {
  switch (channel.kind) {
    case 'webhook':
      return {
        name: 'challenge',
        call: (world, signal) => webhooks(world).prove(channel.url, channel.secrets, signal),
      };
    case 'slack':
      return asking('slack', 'a message without text', { url: channel.url, body: {} });
    case 'slack_bot': {
      const headers = { authorization: `Bearer ${channel.token}` };
      const url = 'https://slack.com/api/auth.test';
      return asking('slack_bot', 'auth.test', { url, headers, body: {} });
    }
    case 'telegram': {
      const url = `https://api.telegram.org/bot${channel.token}/getChat`;
      return asking('telegram', 'getChat', { url, body: { chat_id: channel.chat } });
    }
    case 'discord':
      return asking('discord', 'the webhook', { url: channel.url });
    case 'teams':
    case 'pagerduty':
      return undefined;
  }
}

/** A call with a body is a POST. */
type ChatCall = {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
};

function asking(kind: ChatKind, name: string, { url: service, headers, body }: ChatCall): Ask {
  const call: Ask['call'] = async ({ http, origins }, signal) => {
    const { origin, pathname } = new URL(service);
    try {
      const response = await http.request({
        method: body === undefined ? 'GET' : 'POST',
        url: new URL(pathname, origins[kind] ?? origin),
        headers: {
          'user-agent': 'floorwatch',
          'content-type': 'application/json; charset=utf-8',
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal,
      });
      return answerIn(kind, response);
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      return { kind: 'failed', reason: error.message };
    }
  };
  return { name, call };
}

function answerIn(kind: ChatKind, response: HttpResponse): ChatAnswer {
  const { status } = response;
  const { isRefusal, problemIn } = CHATS[kind];
  const isTaken = status >= 200 && status < 300 && isRefusal?.(response) !== true;
  if (isTaken) return { kind: 'sent' };
  const { code, isGone } = problemIn(response);
  // Slack rejects the empty message with its own error code, which shows that the webhook exists.
  if (kind === 'slack' && status === 400 && code !== undefined && !isGone) return { kind: 'sent' };
  const reason = `HTTP ${status}${code === undefined ? '' : ` ${code}`}`;
  return { kind: isGone ? 'gone' : 'refused', reason };
}

function webhooks({ strangers, now, newChallenge }: ChannelWorld) {
  const clients = { alerts: strangers, challenges: strangers };
  return createSignedWebhooks(clients, { now, wallClock: now, newChallenge });
}
