import { describe, expect, it } from 'vitest';
import { discordMessage } from '#shared/channels/discord/message.ts';
import { createHttpClient } from '#shared/clients/http-client.ts';
import { anAlert } from '#test/support/builders.ts';
import { chatsAt } from '#test/support/chats.ts';
import { startHttpServer } from '#test/support/http-server.ts';

const URL_OF_ONE = 'https://discord.com/api/webhooks/1234567890/abc-DEF_123';
const notification = { kind: 'alert', alert: anAlert() } as const;
const { signal } = new AbortController();

describe('a notification to Discord', () => {
  it('sends one embed to Discord, and waits for the id of the message', async () => {
    await using world = await discord(200, { id: '1' });

    const answer = await world.post();

    const [request, ...others] = world.requests;
    expect(answer).toEqual({ kind: 'sent', shows: '1' });
    expect(others).toEqual([]);
    expect(request).toMatchObject({ method: 'POST', path: '/api/webhooks/1234567890/abc-DEF_123' });
    expect(request?.query.toString()).toBe('wait=true');
    expect(request?.headers['content-type']).toBe('application/json');
    expect(JSON.parse(request?.body ?? '')).toEqual(discordMessage(notification));
  });

  it.each([
    ['with a retry-after header', { retry_after: 0.3 }, { 'retry-after': '7' }, '429', 7],
    ['with retry_after in its body', { retry_after: 64.57, code: 0 }, {}, '429 code 0', 65],
    ['with a page of a proxy', '<html>', { 'retry-after': '3600' }, '429', 3600],
    ['without a time', '', {}, '429', 1],
    ['with nonsense', { retry_after: -1 }, {}, '429', 1],
    ['for a year', { retry_after: 31_536_000 }, {}, '429', 86_400],
  ])(
    'sets the retry delay after a 429 from Discord %s',
    async (_, body, headers, reason, seconds) => {
      await using world = await discord(429, body, headers);

      expect(await world.post()).toEqual({
        kind: 'failed',
        reason: `HTTP ${reason}`,
        retryAfterSeconds: seconds,
      });
    },
  );

  it.each([
    [400, { code: 50_006, message: 'Cannot send an empty message' }, 'refused', '400 code 50006'],
    [401, { code: 50_027, message: 'Invalid Webhook Token' }, 'refused', '401 code 50027'],
    [404, { code: 10_015, message: 'Unknown Webhook' }, 'gone', '404 code 10015'],
    [404, 'abc-DEF_123', 'refused', '404'],
    [403, { code: 'abc-DEF_123' }, 'refused', '403'],
    [500, { code: 0 }, 'failed', '500 code 0'],
    [502, '<html>', 'failed', '502'],
  ])('reads the answer %i %j of Discord as %s: %s', async (status, body, kind, reason) => {
    await using world = await discord(status, body);

    expect(await world.post()).toEqual({ kind, reason: `HTTP ${reason}` });
  });

  it('reports a failure if Discord does not answer', async () => {
    const gone = await discord(200, {});
    await gone[Symbol.asyncDispose]();

    expect(await gone.post()).toEqual({
      kind: 'failed',
      reason: 'the host could not be reached (ECONNREFUSED)',
    });
  });
});

it.each([
  'https://evil.example.com/api/webhooks/1234567890/abc-DEF_123',
  'https://discord.com@evil.example.com/api/webhooks/1234567890/abc-DEF_123',
  'http://discord.com/api/webhooks/1234567890/abc-DEF_123',
  'https://discord.com/api/webhooks/1234567890/abc/slack',
  '',
])('rejects a webhook of any other form without a request, and hides it: %s', async (url) => {
  await using world = await discord(200, {});

  const answer = await world.post(url);

  expect(answer).toEqual({
    kind: 'refused',
    reason: 'the URL or token does not have the format that the service expects; enter it again',
  });
  expect(world.requests).toEqual([]);
});

/** A fake server of Discord. */
async function discord(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
) {
  const server = await startHttpServer((response) => {
    response.writeHead(status, headers);
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  const http = createHttpClient({ deadlineMs: 10_000, maxBodyBytes: 10_000, maxConnections: 2 });
  const postToChat = chatsAt(server.url, http);
  return {
    post: (url = URL_OF_ONE) =>
      postToChat('discord', { kind: 'discord', url }, notification, signal),
    requests: server.requests,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
