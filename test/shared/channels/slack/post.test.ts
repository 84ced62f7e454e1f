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

describe('a notification', () => {
  it('is sent as the blocks that Slack shows, as JSON', async () => {
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
    ['without saying when', {}, 1],
    ['at a moment', { 'retry-after': new Date(NOON + 90_000).toUTCString() }, 90],
    ['in a year', { 'retry-after': '31536000' }, 86_400],
  ])('that comes too fast failed, and is to come again %s', async (_, headers, seconds) => {
    await using world = await slack((response) => {
      response.writeHead(429, headers).end('rate_limited');
    });

    expect(await world.post()).toEqual({
      kind: 'failed',
      reason: 'it answered 429 rate_limited',
      retryAfterSeconds: seconds,
    });
  });

  it.each([
    [400, 'invalid_blocks'],
    [403, 'action_prohibited'],
    [404, 'unknown'],
    [302, 'elsewhere'],
  ])('that Slack answers with %i is refused, and says what Slack said', async (status, body) => {
    await using world = await slack((response) => {
      response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end(body);
    });

    expect(await world.post()).toEqual({
      kind: 'refused',
      reason: `it answered ${status} ${body}`,
    });
    expect(world.requests).toHaveLength(1);
  });

  it.each([
    [404, 'no_service'],
    [404, 'channel_not_found'],
    [410, 'channel_is_archived'],
  ])('that Slack answers with %i %s is gone', async (status, body) => {
    await using world = await slack((response) => response.writeHead(status).end(body));

    expect(await world.post()).toEqual({ kind: 'gone', reason: `it answered ${status} ${body}` });
  });

  it.each([500, 502, 503])('that Slack answers with %i failed', async (status) => {
    await using world = await slack((response) => response.writeHead(status).end('rollup_error'));

    expect(await world.post()).toEqual({
      kind: 'failed',
      reason: `it answered ${status} rollup_error`,
    });
  });

  it.each(['<html>no</html>', `${URL_OF_ONE}`, 'x'.repeat(41), 'two words', 'line\n'])(
    'that is answered with anything but a code of Slack is reported by its status alone: %j',
    async (body) => {
      await using world = await slack((response) => response.writeHead(400).end(body));

      expect(await world.post()).toEqual({ kind: 'refused', reason: 'it answered 400' });
    },
  );

  it.each<[string, number, (response: ServerResponse) => void]>([
    ['it did not answer in time', 500, () => {}],
    [
      'it could not be reached (ECONNRESET)',
      10_000,
      (response) => response.socket?.resetAndDestroy(),
    ],
    ['its answer was too large', 10_000, (response) => response.end('x'.repeat(20_000))],
  ])('without a usable answer failed: %s', async (reason, deadlineMs, respond) => {
    await using world = await slack(respond, { deadlineMs });

    expect(await world.post()).toEqual({ kind: 'failed', reason });
    expect(world.requests).toHaveLength(1);
  });

  it('under way when the caller stops rejects with the reason of the caller', async () => {
    const controller = new AbortController();
    const reason = new Error('no time left');
    await using world = await slack(() => controller.abort(reason));

    await expect(world.post(controller.signal)).rejects.toBe(reason);
  });
});

describe('a webhook', () => {
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
  ])('of any other form is refused without a request, and not reported: %s', async (url) => {
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
      reason: 'its secret is not of the form that its service gives',
    });
  });

  it('of the stack that was replaced is read anew, and gets what the old one refused', async () => {
    await using world = await slack((response, { path }) => {
      response.writeHead(path === PATH ? 404 : 200).end('no_service');
    });
    const young = URL_OF_ONE.replace('s3cret', 'young');
    const post = createStackSlack(world.postTo, async (refresh) => (refresh ? young : URL_OF_ONE));

    const answer = await post(notification, signal);

    expect(answer).toEqual({ kind: 'sent' });
    expect(world.requests.map(({ path }) => path)).toEqual([PATH, '/services/T000/B000/young']);
  });

  it('of the stack that stays what it was is asked once', async () => {
    await using world = await slack((response) => response.writeHead(404).end('no_service'));
    const post = createStackSlack(world.postTo, async () => URL_OF_ONE);

    expect(await post(notification, signal)).toEqual({
      kind: 'refused',
      reason: 'it answered 404 no_service',
    });
    expect(world.requests).toHaveLength(1);
  });

  it('is in no answer', async () => {
    const gone = await slack(() => {});
    await gone[Symbol.asyncDispose]();

    const answer = await gone.post();

    expect(answer).toEqual({ kind: 'failed', reason: 'it could not be reached (ECONNREFUSED)' });
    expect(inspect(answer)).not.toContain('s3cret');
  });
});

/** A server in Slack's place. */
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
