import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createChannelSender, type PostedChannel } from '#shared/channels/channel-sender.ts';
import { createDiscord } from '#shared/channels/discord/post.ts';
import { createSlack } from '#shared/channels/slack/post.ts';
import { createSignedWebhooks } from '#shared/channels/webhook/post.ts';
import { createHttpClient } from '#shared/clients/http-client.ts';
import { hashOfSecret } from '#shared/domain/channels/channel-secret.ts';
import { anAlert, NOON } from '#test/support/builders.ts';
import { OTHER_CHANNEL_KEY } from '#test/support/channel-keys.ts';
import { startHttpServer } from '#test/support/http-server.ts';
import { aSealer } from '#test/support/sealer.ts';

const LIST = { tenant: 'acme', id: 'punks' };
const SLACK = 'https://hooks.slack.com/services/T000/B000/s3cret';
const DISCORD = 'https://discord.com/api/webhooks/1234567890/s3cret';
const SIGNING = `whsec_${Buffer.alloc(24, 's').toString('base64')}`;
const notification = { kind: 'alert', alert: anAlert() } as const;
const { signal } = new AbortController();
const KINDS = ['slack', 'discord', 'webhook'] as const;

it.each([
  ['slack', '/services/T000/B000/s3cret'],
  ['discord', '/api/webhooks/1234567890/s3cret'],
  ['webhook', '/hook'],
] as const)('a notification for a channel of the kind %s is posted to %s', async (kind, path) => {
  await using world = await everybody(200);

  const answer = await world.send(LIST, await world.channel(kind), notification, signal);

  expect(answer).toEqual({ kind: 'sent' });
  expect(world.requests).toMatchObject([{ method: 'POST', path }]);
});

describe.each(KINDS)('a channel of the kind %s', (kind) => {
  it('whose secret is sealed under another key says so, and may work later', async () => {
    await using world = await everybody(200);

    const answer = await world.send(
      LIST,
      await world.channel(kind, OTHER_CHANNEL_KEY),
      notification,
      signal,
    );

    expect(answer).toEqual({
      kind: 'failed',
      reason: 'sealed under another key: give the secret again',
    });
    expect(world.requests).toEqual([]);
  });

  it('says that the key is no key, and may work later', async () => {
    await using world = await everybody(200, 'no key');

    const answer = await world.send(LIST, await world.channel(kind), notification, signal);

    expect(answer).toEqual({
      kind: 'failed',
      reason: 'the channel key is no RSA key of 3072 bits in base64',
    });
    expect(world.requests).toEqual([]);
  });

  it('opens no secret of another list', async () => {
    await using world = await everybody(200);
    const elsewhere = { ...LIST, id: 'others' };

    const answer = await world.send(elsewhere, await world.channel(kind), notification, signal);

    expect(answer).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('another place'),
    });
    expect(world.requests).toEqual([]);
  });

  it.each([204, 301, 400, 404, 410, 429, 500])(
    'reports no secret whatever it is answered with: %i',
    async (status) => {
      await using world = await everybody(status);

      const answer = await world.send(LIST, await world.channel(kind), notification, signal);

      expect(inspect(answer)).not.toMatch(/s3cret|c3Nz|v1\.|hooks|discord/);
    },
  );
});

/** A server in the place of everybody, which says back what it is asked for. */
async function everybody(status: number, key?: string) {
  const server = await startHttpServer((response, { path }) =>
    response.writeHead(status).end(path),
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
      slack: createSlack(chats, server.url, now),
      discord: createDiscord(chats, server.url, now),
      webhooks,
    }),
    requests: server.requests,
    /** A channel of the list, as its document keeps it. */
    channel: async (kind: PostedChannel['kind'], sealedUnder?: string): Promise<PostedChannel> => {
      const seal = async (secret: string) => {
        const place = { tenant: LIST.tenant, list: LIST.id, channel: 'desk' };
        return {
          sealed: await aSealer(sealedUnder).seal(place, secret),
          hash: hashOfSecret(secret),
        };
      };
      if (kind !== 'webhook') {
        return { id: 'desk', kind, url: await seal(kind === 'slack' ? SLACK : DISCORD) };
      }
      return { id: 'desk', kind, url: `${server.url}/hook`, secrets: [await seal(SIGNING)] };
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
