import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createChats } from '#shared/channels/channel-sender.ts';
import { createHttpClient, type HttpRequest } from '#shared/clients/http-client.ts';
import { USER_AGENT } from '#shared/clients/user-agent.ts';
import { redact } from '#shared/runtime/redact.ts';
import { anAlert, NOON } from '#test/support/builders.ts';
import { CHAT_EXAMPLES } from '#test/support/channel-examples.ts';
import { chatOriginsAt, chatsAt } from '#test/support/chats.ts';
import { startHttpServer } from '#test/support/http-server.ts';
import { VAPID } from '#test/support/push-key.ts';

const notification = { kind: 'alert', alert: anAlert() } as const;
const { signal } = new AbortController();

describe.each(CHAT_EXAMPLES)('chat $written.kind', ({ written, secrets, refused, chat }) => {
  it('posts a chat message to its service, as JSON unless the service expects bytes', async () => {
    await using world = await service({ status: 200, body: '' });

    await world.post(written);

    const [request, ...others] = world.requests;
    const { pathname, search } = new URL(chat.path, 'http://localhost');
    expect(others).toEqual([]);
    expect(request).toMatchObject({ method: 'POST', path: pathname });
    expect(request?.query.toString()).toBe(search.slice(1));
    expect(request?.headers).toMatchObject({
      'content-type': expect.stringMatching(
        chat.isBinary ? /^application\/octet-stream$/ : /^application\/json/,
      ),
      'user-agent': USER_AGENT,
    });
    if (!chat.isBinary) expect(JSON.parse(request?.body ?? '')).toBeTypeOf('object');
  });

  it.each(chat.answers)(
    'reads the answer $status $body of a chat service as $means',
    async ({ means, ...answer }) => {
      await using world = await service(answer);

      expect(await world.post(written)).toEqual(means);
    },
  );

  it('the example of each chat has answers for each outcome', () => {
    const meanings = new Set(chat.answers.map(({ means }) => means.kind));

    expect(meanings).toEqual(new Set(['sent', 'gone', 'refused', 'failed']));
  });

  it.each([
    [429, {}, chat.secondsAfter429 ?? 1],
    [429, { 'retry-after': '7' }, 7],
    [503, { 'retry-after': '7' }, 7],
    [500, { 'retry-after': '31536000' }, 86_400],
    [500, { 'retry-after': new Date(NOON + 90_000).toUTCString() }, 90],
    [503, {}, undefined],
    [502, { 'retry-after': 'soon' }, undefined],
    [503, { 'retry-after': '0' }, undefined],
    [429, { 'retry-after': '0' }, chat.secondsAfter429 ?? 1],
  ])(
    'sets the retry delay after the answer %i %j of a chat service: %s seconds',
    async (status, headers, seconds) => {
      await using world = await service({ status, headers, body: '' });

      expect(await world.post(written)).toEqual({
        ...{ kind: 'failed', reason: `HTTP ${status}` },
        ...(seconds !== undefined && { retryAfterSeconds: seconds }),
      });
    },
  );

  it.each([200, 302, 400, 404, 410, 429, 500])(
    'reveals no secret of a chat, even if the service answers %i and repeats the secrets',
    async (status) => {
      await using world = await service({ status, body: [chat.path, ...secrets].join(' ') });

      const answer = await world.post(written);

      for (const secret of secrets) expect(inspect(answer)).not.toContain(secret.slice(-12));
    },
  );

  it('hides the secrets in the address of a chat in logs, whatever the host', () => {
    const isSecret = secrets.some((secret) => chat.path.includes(secret.slice(-12)));
    for (const origin of ['https://chat.example.com', 'http://127.0.0.1:1']) {
      const logged = redact(`POST ${origin}${chat.path} failed`);

      for (const secret of secrets) expect(logged).not.toContain(secret.slice(-12));
      expect(logged).toMatch(isSecret ? /^POST http.*\[hidden\].* failed$/ : / failed$/);
    }
  });

  it.each(refused)(
    'rejects a malformed address of a chat without a request: %j',
    async (members) => {
      await using world = await service({ status: 200, body: '' });

      const answer = await world.post({ ...written, ...members });

      expect(answer).toEqual({
        kind: 'refused',
        reason:
          'the URL or token does not have the format that the service expects; enter it again',
      });
      expect(world.requests).toEqual([]);
    },
  );

  it('sends a message to the service of a chat, or to a configured origin', async () => {
    const asked: string[] = [];
    const http = {
      request: async ({ url }: HttpRequest) => {
        asked.push(url.origin);
        return { status: 200, headers: {}, body: '' };
      },
    };
    const world = { http, now: () => NOON, vapid: VAPID, destinations: 'public' } as const;
    const double = 'http://127.0.0.1:1';

    await createChats({ ...world, origins: {} })(written.kind, written, notification, signal);
    const posting = createChats({ ...world, origins: chatOriginsAt(double) });
    await posting(written.kind, written, notification, signal);

    expect(asked).toEqual([expect.stringMatching(/^https:/), double]);
  });

  it('does not contact a chat service from a stack that may only connect to this machine', () => {
    const { [written.kind]: _, ...origins } = chatOriginsAt('http://127.0.0.1:1');
    const http = { request: () => Promise.reject(new Error('asked')) };
    const world = { http, now: () => NOON, vapid: VAPID, destinations: 'loopback-only' } as const;

    expect(() => createChats({ ...world, origins })).toThrow(`no origin for ${written.kind}:`);
  });
});

/** A fake server of a chat service. */
async function service({
  status,
  headers,
  body,
}: {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}) {
  const server = await startHttpServer((response) => response.writeHead(status, headers).end(body));
  const http = createHttpClient({ deadlineMs: 10_000, maxBodyBytes: 10_000, maxConnections: 2 });
  const postToChat = chatsAt(server.url, http);
  return {
    post: (written: (typeof CHAT_EXAMPLES)[number]['written']) =>
      postToChat(written.kind, written, notification, signal),
    requests: server.requests,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
