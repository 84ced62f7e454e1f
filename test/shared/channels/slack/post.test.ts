import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { slackMessage } from '#shared/channels/slack/message.ts';
import { createStackSlack } from '#shared/channels/slack/post.ts';
import { createHttpClient, type HttpClient } from '#shared/clients/http-client.ts';
import { USER_AGENT } from '#shared/clients/user-agent.ts';
import { anAlert, NOON } from '#test/support/builders.ts';
import { chatsAt } from '#test/support/chats.ts';
import { startHttpServer } from '#test/support/http-server.ts';

const URL_OF_ONE = 'https://hooks.slack.com/services/T000/B000/s3cret';
const PATH = '/services/T000/B000/s3cret';
const notification = { kind: 'alert', alert: anAlert({ name: 'Punks <!channel> & “Ξ”' }) } as const;
const { signal } = new AbortController();

describe('a notification to Slack', () => {
  it('sends the blocks of a notification to Slack as JSON', async () => {
    await using world = await slack((response) => response.end('ok'));

    const answer = await world.post();

    const [request, ...others] = world.requests;
    expect(answer).toEqual({ kind: 'sent' });
    expect(others).toEqual([]);
    expect(request).toMatchObject({ method: 'POST', path: PATH });
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': USER_AGENT,
    });
    expect(JSON.parse(request?.body ?? '')).toEqual(slackMessage(notification));
  });

  it.each([
    ['in 7 seconds', { 'retry-after': '7' }, 7],
    ['without a time', {}, 1],
    ['at a given time', { 'retry-after': new Date(NOON + 90_000).toUTCString() }, 90],
    ['in a year', { 'retry-after': '31536000' }, 86_400],
  ])('retries after a 429 from Slack %s', async (_, headers, seconds) => {
    await using world = await slack((response) => {
      response.writeHead(429, headers).end('rate_limited');
    });

    expect(await world.post()).toEqual({
      kind: 'failed',
      reason: 'HTTP 429 rate_limited',
      retryAfterSeconds: seconds,
    });
  });

  it.each([
    [400, 'invalid_blocks'],
    [403, 'action_prohibited'],
    [404, 'unknown'],
    [302, 'elsewhere'],
  ])(
    "treats the answer %i of Slack as a rejection, and reports Slack's code",
    async (status, body) => {
      await using world = await slack((response) => {
        response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end(body);
      });

      expect(await world.post()).toEqual({
        kind: 'refused',
        reason: `HTTP ${status} ${body}`,
      });
      expect(world.requests).toHaveLength(1);
    },
  );

  it.each([
    [404, 'no_service'],
    [404, 'channel_not_found'],
    [410, 'channel_is_archived'],
  ])('treats the answer %i %s of Slack as a deleted channel', async (status, body) => {
    await using world = await slack((response) => response.writeHead(status).end(body));

    expect(await world.post()).toEqual({ kind: 'gone', reason: `HTTP ${status} ${body}` });
  });

  it.each([500, 502, 503])(
    'treats the answer %i of Slack as a temporary failure',
    async (status) => {
      await using world = await slack((response) => response.writeHead(status).end('rollup_error'));

      expect(await world.post()).toEqual({
        kind: 'failed',
        reason: `HTTP ${status} rollup_error`,
      });
    },
  );

  it.each(['<html>no</html>', `${URL_OF_ONE}`, 'x'.repeat(41), 'two words', 'line\n'])(
    'reports only the status of an answer without a Slack code: %j',
    async (body) => {
      await using world = await slack((response) => response.writeHead(400).end(body));

      expect(await world.post()).toEqual({ kind: 'refused', reason: 'HTTP 400' });
    },
  );

  it.each<[string, number, (response: ServerResponse) => void]>([
    ['the request timed out', 500, () => {}],
    [
      'the host could not be reached (ECONNRESET)',
      10_000,
      (response) => response.socket?.resetAndDestroy(),
    ],
    ['the response was too large', 10_000, (response) => response.end('x'.repeat(20_000))],
  ])(
    'treats a missing answer of Slack as a temporary failure: %s',
    async (reason, deadlineMs, respond) => {
      await using world = await slack(respond, { deadlineMs });

      expect(await world.post()).toEqual({ kind: 'failed', reason });
      expect(world.requests).toHaveLength(1);
    },
  );

  it('rejects with the reason of the caller if the caller aborts during a request to Slack', async () => {
    const controller = new AbortController();
    const reason = new Error('no time left');
    await using world = await slack(() => controller.abort(reason));

    await expect(world.post(controller.signal)).rejects.toBe(reason);
  });
});

describe('a Slack webhook', () => {
  it.each([
    'https://evil.example.com/services/T000/B000/s3cret',
    'https://hooks.slack.com.evil.example.com/services/T000/B000/s3cret',
    'https://hooks.slack.com@evil.example.com/services/T000/B000/s3cret',
    'http://hooks.slack.com/services/T000/B000/s3cret',
    'https://hooks.slack.com:8443/services/T000/B000/s3cret',
    'https://hooks.slack.com/services/T000/B000/../s3cret',
    'hooks.slack.com/services/T000/B000/s3cret',
    's3cret',
    '',
  ])('rejects a webhook of any other form without a request, and hides it: %s', async (url) => {
    const asked: unknown[] = [];
    const http: HttpClient = {
      request: (request) => {
        asked.push(request);
        return Promise.reject(new Error('asked'));
      },
    };

    const answer = await chatsAt('https://hooks.slack.com', http)(
      'slack',
      { kind: 'slack', url },
      notification,
      signal,
    );

    expect(asked).toEqual([]);
    expect(answer).toEqual({
      kind: 'refused',
      reason: 'the URL or token does not have the format that the service expects; enter it again',
    });
  });

  it("reads the stack's Slack webhook again if the old one is rejected, and sends to the new one", async () => {
    await using world = await slack((response, { path }) => {
      response.writeHead(path === PATH ? 404 : 200).end('no_service');
    });
    const young = URL_OF_ONE.replace('s3cret', 'young');
    const post = createStackSlack(world.postTo, async (refresh) => (refresh ? young : URL_OF_ONE));

    const answer = await post(notification, signal);

    expect(answer).toEqual({ kind: 'sent' });
    expect(world.requests.map(({ path }) => path)).toEqual([PATH, '/services/T000/B000/young']);
  });

  it("does not send a rejected notification again if the stack's Slack webhook has not changed", async () => {
    await using world = await slack((response) => response.writeHead(404).end('no_service'));
    const post = createStackSlack(world.postTo, async () => URL_OF_ONE);

    expect(await post(notification, signal)).toEqual({
      kind: 'refused',
      reason: 'HTTP 404 no_service',
    });
    expect(world.requests).toHaveLength(1);
  });

  it('does not reveal the Slack webhook in an outcome', async () => {
    const gone = await slack(() => {});
    await gone[Symbol.asyncDispose]();

    const answer = await gone.post();

    expect(answer).toEqual({
      kind: 'failed',
      reason: 'the host could not be reached (ECONNREFUSED)',
    });
    expect(inspect(answer)).not.toContain('s3cret');
  });
});

/** A fake server of Slack. */
async function slack(
  respond: Parameters<typeof startHttpServer>[0],
  { deadlineMs = 10_000 }: { readonly deadlineMs?: number } = {},
) {
  const server = await startHttpServer(respond);
  const http = createHttpClient({ deadlineMs, maxBodyBytes: 10_000, maxConnections: 2 });
  const postToChat = chatsAt(server.url, http);
  const postTo: Parameters<typeof createStackSlack>[0] = (url, ...message) =>
    postToChat('slack', { kind: 'slack', url }, ...message);
  return {
    postTo,
    post: (until: AbortSignal = signal) => postTo(URL_OF_ONE, notification, until),
    requests: server.requests,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
