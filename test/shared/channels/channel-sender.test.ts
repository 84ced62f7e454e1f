import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { isPosted, type PostedChannel } from '#shared/channels/channel.ts';
import { createChannelSender } from '#shared/channels/channel-sender.ts';
import { keepChannels } from '#shared/channels/keep-channels.ts';
import type { PostedKind } from '#shared/channels/kinds.ts';
import { createSignedWebhooks } from '#shared/channels/webhook/post.ts';
import { createHttpClient } from '#shared/clients/http-client.ts';
import { anAlert, NOON } from '#test/support/builders.ts';
import { EXAMPLES } from '#test/support/channel-examples.ts';
import { OTHER_CHANNEL_KEY } from '#test/support/channel-keys.ts';
import { chatsAt } from '#test/support/chats.ts';
import { startHttpServer } from '#test/support/http-server.ts';
import { aSealer } from '#test/support/sealer.ts';

const LIST = { tenant: 'acme', id: 'punks' };
const notification = { kind: 'alert', alert: anAlert() } as const;
const { signal } = new AbortController();
const POSTED = Object.values(EXAMPLES).filter(({ isByTopic }) => !isByTopic);

describe.each(POSTED.map(({ written }) => written.kind as PostedKind))(
  'a channel of the kind %s',
  (kind) => {
    it('posts a notification to the service of a channel', async () => {
      const example = EXAMPLES[kind];
      const taken =
        'chat' in example
          ? example.chat.answers.find(({ means }) => means.kind === 'sent')
          : undefined;
      await using world = await everybody(200, undefined, taken?.body);

      const answer = await world.send(LIST, await world.channel(kind), notification, signal);

      expect(answer).toEqual(taken?.means ?? { kind: 'sent' });
      expect(world.requests).toMatchObject([{ method: 'POST' }]);
    });

    it('reports a secret that is sealed with another key as a failure that may be temporary', async () => {
      await using world = await everybody(200);

      const answer = await world.send(
        LIST,
        await world.channel(kind, OTHER_CHANNEL_KEY),
        notification,
        signal,
      );

      expect(answer).toEqual({
        kind: 'failed',
        reason: 'the secret was encrypted with another key: enter the secret again',
      });
      expect(world.requests).toEqual([]);
    });

    it('reports an invalid channel key as a failure that may be temporary', async () => {
      await using world = await everybody(200, 'no key');

      const answer = await world.send(LIST, await world.channel(kind), notification, signal);

      expect(answer).toEqual({
        kind: 'failed',
        reason: 'the channel key must be an RSA key of 3072 bits in base64',
      });
      expect(world.requests).toEqual([]);
    });

    it('does not open a secret of another list', async () => {
      await using world = await everybody(200);
      const elsewhere = { ...LIST, id: 'others' };

      const answer = await world.send(elsewhere, await world.channel(kind), notification, signal);

      expect(answer).toMatchObject({
        kind: 'failed',
        reason: expect.stringContaining('another channel'),
      });
      expect(world.requests).toEqual([]);
    });

    it.each([204, 301, 400, 404, 410, 429, 500])(
      'reveals no secret in the outcome if the service of a channel answers %i',
      async (status) => {
        await using world = await everybody(status);

        const answer = await world.send(LIST, await world.channel(kind), notification, signal);

        const [{ path = '/' } = {}] = world.requests;
        for (const secret of [...EXAMPLES[kind].secrets, path]) {
          expect(inspect(answer)).not.toContain(secret.slice(-12));
        }
      },
    );
  },
);

/** One server that replaces every service; by default it answers with the path of the request. */
async function everybody(status: number, key?: string, body?: string) {
  const server = await startHttpServer((response, { path }) =>
    response.writeHead(status).end(body ?? path),
  );
  const limits = { deadlineMs: 10_000, maxConnections: 2 };
  const now = () => NOON;
  const chats = createHttpClient({ ...limits, maxBodyBytes: 10_000 });
  const strangers = createHttpClient(
    { ...limits, maxBodyBytes: 10_000 },
    { destinations: 'loopback-only' },
  );
  const webhooks = createSignedWebhooks(
    { alerts: strangers, challenges: strangers },
    { now, wallClock: now, newChallenge: () => 'a-challenge' },
  );
  return {
    send: createChannelSender({
      open: aSealer(key).open,
      postToChat: chatsAt(server.url, chats),
      webhooks,
    }),
    requests: server.requests,
    /** A channel as the list stores it. */
    channel: async (kind: PostedKind, sealedUnder?: string): Promise<PostedChannel> => {
      const sealer = aSealer(sealedUnder);
      const place = { tenant: LIST.tenant, list: LIST.id, channel: 'a' };
      const { written } = EXAMPLES[kind];
      const [channel] = await keepChannels(
        [
          written.kind === 'webhook'
            ? { ...written, url: `${server.url}/hook/of/tenant` }
            : written,
        ],
        undefined,
        {
          seal: (_channel, secret) => sealer.seal(place, secret),
          webhooks: { destinations: 'loopback-only', ports: [443] },
        },
      );
      if (channel === undefined || !isPosted(channel)) throw new Error(`${kind} is not posted`);
      return channel;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
