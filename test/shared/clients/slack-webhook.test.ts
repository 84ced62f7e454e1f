import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createHttpClient, type HttpClient } from '#shared/clients/http-client.ts';
import { createSlackWebhook } from '#shared/clients/slack-webhook.ts';
import { slackMessage } from '#shared/domain/alerting/slack-message.ts';
import { anAlert } from '#test/support/builders.ts';
import { startHttpServer } from '#test/support/http-server.ts';

const PATH = '/services/T000/B000/s3cret';
const { signal } = new AbortController();

describe('an alert', () => {
  it('is sent as the blocks that Slack shows, as JSON', async () => {
    await using world = await slack((response) => response.end('ok'));
    const alert = anAlert({ name: 'Punks <!channel> & “Ξ”' });

    const answer = await world.webhook.post(alert, signal);

    const [request, ...others] = world.requests;
    expect(answer).toEqual({ kind: 'sent' });
    expect(others).toEqual([]);
    expect(request).toMatchObject({ method: 'POST', path: PATH });
    expect(request?.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(JSON.parse(request?.body ?? '')).toEqual(slackMessage(alert));
  });

  it.each([
    ['in 7 seconds', { 'retry-after': '7' }, 7],
    ['without saying when', {}, 1],
    ['at a moment of which we know nothing', { 'retry-after': 'Sat, 21 Nov 2026 12:00:00 GMT' }, 1],
  ])('that comes too fast failed, and is to come again %s', async (_, headers, seconds) => {
    await using world = await slack((response) => {
      response.writeHead(429, headers).end('rate_limited');
    });

    expect(await world.webhook.post(anAlert(), signal)).toEqual({
      kind: 'failed',
      reason: '429 rate_limited',
      retryAfterSeconds: seconds,
    });
  });

  it.each([
    [400, 'invalid_blocks'],
    [403, 'action_prohibited'],
    [404, 'channel_not_found'],
    [410, 'channel_is_archived'],
    [302, 'elsewhere'],
  ])('that Slack answers with %i is refused, and says what Slack said', async (status, body) => {
    await using world = await slack((response) => {
      response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end(body);
    });

    expect(await world.webhook.post(anAlert(), signal)).toEqual({
      kind: 'refused',
      reason: `${status} ${body}`,
    });
    expect(world.requests).toHaveLength(1);
  });

  it.each([500, 502, 503])('that Slack answers with %i failed', async (status) => {
    await using world = await slack((response) => response.writeHead(status).end('rollup_error'));

    expect(await world.webhook.post(anAlert(), signal)).toEqual({
      kind: 'failed',
      reason: `${status} rollup_error`,
    });
  });

  it('that Slack refuses at length is refused with the beginning', async () => {
    await using world = await slack((response) => {
      response.writeHead(400).end(`<html>${'x'.repeat(500)}`);
    });

    const answer = await world.webhook.post(anAlert(), signal);

    expect(answer).toMatchObject({ reason: expect.stringMatching(/^400 <html>x{54}$/) });
  });

  it.each<[string, number, (response: ServerResponse) => void]>([
    ['timeout', 50, () => {}],
    ['network', 10_000, (response) => response.socket?.resetAndDestroy()],
    ['too_large', 10_000, (response) => response.end('x'.repeat(20_000))],
  ])('without a usable answer failed: %s', async (reason, deadlineMs, respond) => {
    await using world = await slack(respond, { deadlineMs });

    expect(await world.webhook.post(anAlert(), signal)).toEqual({ kind: 'failed', reason });
    expect(world.requests).toHaveLength(1);
  });

  it('under way when the caller stops rejects with the reason of the caller', async () => {
    const controller = new AbortController();
    const reason = new Error('no time left');
    await using world = await slack(() => controller.abort(reason));

    await expect(world.webhook.post(anAlert(), controller.signal)).rejects.toBe(reason);
  });
});

describe('a webhook', () => {
  it.each([
    'https://evil.example.com/services/T000/B000/s3cret',
    'https://hooks.slack.com.evil.example.com/services/s3cret',
    'https://hooks.slack.com@evil.example.com/services/s3cret',
    'http://hooks.slack.com/services/s3cret',
    'https://hooks.slack.com:8443/services/s3cret',
    'hooks.slack.com/services/s3cret',
    's3cret',
    '',
  ])('of another origin is refused without a request: %s', async (url) => {
    const asked: unknown[] = [];
    const http: HttpClient = {
      request: (request) => {
        asked.push(request);
        return Promise.reject(new Error('asked'));
      },
    };
    const webhook = createSlackWebhook(
      http,
      async (): Promise<string> => url,
      'https://hooks.slack.com',
    );

    const answer = await webhook.post(anAlert(), signal);

    expect(asked).toEqual([]);
    expect(answer).toEqual({
      kind: 'refused',
      reason: 'the webhook is not of https://hooks.slack.com',
    });
  });

  it('that was replaced is read anew, and gets what the old one refused', async () => {
    await using world = await slack((response, { path }) => {
      response.writeHead(path === PATH ? 404 : 200).end('no_service');
    });
    world.secret.young = `${world.url}/services/T000/B000/young`;

    const answer = await world.webhook.post(anAlert(), signal);

    expect(answer).toEqual({ kind: 'sent' });
    expect(world.requests.map(({ path }) => path)).toEqual([PATH, '/services/T000/B000/young']);
  });

  it('is in no answer', async () => {
    const { url, ...gone } = await slack(() => {});
    await gone[Symbol.asyncDispose]();

    const answer = await gone.webhook.post(anAlert(), signal);

    expect(answer).toEqual({ kind: 'failed', reason: 'network' });
    expect(inspect(answer)).not.toContain(new URL(url).port);
  });
});

/** A server in Slack's place with its webhook, whose secret may be replaced by a younger one. */
async function slack(
  respond: Parameters<typeof startHttpServer>[0],
  { deadlineMs = 10_000 }: { readonly deadlineMs?: number } = {},
) {
  const server = await startHttpServer(respond);
  const secret = { young: `${server.url}${PATH}` };
  const old = `${server.url}${PATH}`;
  const http = createHttpClient({ deadlineMs, maxBodyBytes: 10_000, maxConnections: 2 });
  const webhook = createSlackWebhook(
    http,
    async (refresh) => (refresh ? secret.young : old),
    server.url,
  );
  return {
    webhook,
    secret,
    url: server.url,
    requests: server.requests,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
