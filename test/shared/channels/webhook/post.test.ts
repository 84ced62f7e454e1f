import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSignedWebhooks, createWebhookClients } from '#shared/channels/webhook/post.ts';
import { createHttpClient, type HttpGuard } from '#shared/clients/http-client.ts';
import { USER_AGENT } from '#shared/clients/user-agent.ts';
import { AlertBatch, AlertMessage, alertMessage } from '#shared/domain/alerting/alert-message.ts';
import { digestOf } from '#shared/domain/alerting/notification.ts';
import type { WebhookDestinations } from '#shared/domain/channels/webhook-destinations.ts';
import { anAlert, NOON } from '#test/support/builders.ts';
import { type ReceivedRequest, startHttpServer } from '#test/support/http-server.ts';

const [OLD, NEW, STRANGER] = ['o', 'n', 's'].map(
  (letter) => `whsec_${Buffer.alloc(32, letter).toString('base64')}`,
);
const alert = anAlert({ name: 'Punks “Ξ”' });
const posted = alertMessage({ kind: 'alert', alert });
const CHALLENGE = 'nobody-guesses-this';
const { signal } = new AbortController();

beforeEach(() => vi.useFakeTimers({ now: NOON + 999, toFake: ['Date'] }));
afterEach(() => vi.useRealTimers());

describe('an alert to a webhook', () => {
  it('posts an alert as JSON, with its id, the time of the attempt and the user agent', async () => {
    await using world = await hook((response) => response.writeHead(204).end());

    const answer = await world.post();

    const [request] = world.requests;
    expect(answer).toEqual({ kind: 'sent' });
    expect(request).toMatchObject({ method: 'POST', path: '/hook' });
    expect(request?.query.toString()).toBe('token=1');
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': USER_AGENT,
      'webhook-id': alert.id,
      'webhook-timestamp': `${NOON / 1000}`,
    });
    expect(AlertMessage.parse(JSON.parse(request?.body ?? ''))).toEqual(posted);
  });

  it('signs an alert with each secret, so that any one of them verifies it', async () => {
    await using world = await hook((response) => response.end());

    await world.post([OLD, NEW]);

    const { body = '', headers } = world.requests[0] ?? {};
    const verifiedWith = (secret = '') =>
      new Webhook(secret).verify(body, headers as Record<string, string>);
    expect(headers?.['webhook-signature']).toMatch(/^v1,[\w+/]{43}= v1,[\w+/]{43}=$/);
    expect(verifiedWith(OLD)).toEqual(posted);
    expect(verifiedWith(NEW)).toEqual(posted);
    expect(() => verifiedWith(STRANGER)).toThrow('No matching signature');
  });

  it('signs body, id and time of an alert', async () => {
    await using world = await hook((response) => response.end());

    await world.post([OLD]);

    const { body = '', headers } = world.requests[0] ?? {};
    const posted = headers as Record<string, string>;
    const webhook = new Webhook(OLD ?? '');
    const earlier = { ...posted, 'webhook-timestamp': `${NOON / 1000 - 1}` };
    expect(() => webhook.verify(body.replace('59.9', '9.9'), posted)).toThrow('No matching');
    expect(() => webhook.verify(body, { ...posted, 'webhook-id': 'x' })).toThrow('No matching');
    expect(() => webhook.verify(body, earlier)).toThrow('No matching');
  });
});

describe('the challenge to a webhook', () => {
  it.each([
    ['as plain text', CHALLENGE],
    ['on a line', `${CHALLENGE}\n`],
    ['as the only member of an object', JSON.stringify({ challenge: CHALLENGE })],
  ])('accepts a webhook that returns the challenge, %s', async (_how, body) => {
    await using world = await hook((response) => response.end(body));

    expect(await world.prove()).toEqual({ kind: 'sent' });

    const [request] = world.requests;
    const posted = new Webhook(String(OLD)).verify(
      request?.body ?? '',
      request?.headers as Record<string, string>,
    );
    expect(posted).toEqual({ type: 'challenge', challenge: CHALLENGE });
    expect(request?.headers['webhook-id']).toBe(`challenge.${CHALLENGE}`);
  });

  it.each([
    ['is empty', ''],
    ['contains another text', 'ok'],
    ['contains more text', `challenge ${CHALLENGE}`],
    ['returns the challenge in another member', JSON.stringify({ text: CHALLENGE })],
    ['returns another challenge', JSON.stringify({ challenge: 'another' })],
    [
      'returns the challenge with another member',
      JSON.stringify({ challenge: CHALLENGE, ok: true }),
    ],
    ['returns the challenge in a list', JSON.stringify([{ challenge: CHALLENGE }])],
  ])('rejects a webhook whose answer to the challenge %s', async (_what, body) => {
    await using world = await hook((response) => response.end(body));

    expect(await world.prove()).toEqual({
      kind: 'failed',
      reason: 'the response does not repeat the challenge',
    });
  });

  it.each([
    { type: 'application/json', returned: 'its body', echo: ({ body }: ReceivedRequest) => body },
    { type: 'text/plain', returned: 'its body', echo: ({ body }: ReceivedRequest) => body },
    { type: undefined, returned: 'its body', echo: ({ body }: ReceivedRequest) => body },
    {
      type: 'application/json',
      returned: 'its headers and body as JSON',
      echo: ({ headers, body }: ReceivedRequest) =>
        JSON.stringify({ headers, data: body, json: JSON.parse(body) }),
    },
    {
      type: 'text/plain',
      returned: 'its id',
      echo: ({ headers }: ReceivedRequest) => String(headers['webhook-id']),
    },
  ])('rejects a webhook that echoes $returned of a challenge as $type', async ({ type, echo }) => {
    await using world = await hook((response, request) => {
      if (type !== undefined) response.setHeader('content-type', type);
      response.end(echo(request));
    });

    expect(await world.prove()).toEqual({
      kind: 'failed',
      reason: 'the response does not repeat the challenge',
    });
  });

  it('rejects a webhook that answers the challenge with an error status', async () => {
    await using world = await hook((response) => response.writeHead(500).end(CHALLENGE));

    expect(await world.prove()).toEqual({ kind: 'failed', reason: 'HTTP 500' });
  });

  it('sends no webhook challenge to a private address', async () => {
    await using world = await hook((response) => response.end(CHALLENGE), {
      destinations: 'public',
    });

    expect((await world.prove()).kind).not.toBe('sent');
    expect(world.requests).toEqual([]);
  });
});

describe('the answer of a webhook', () => {
  it.each([200, 201, 202, 204, 299])(
    'reads the answer %i of a webhook as accepted',
    async (status) => {
      await using world = await hook((response) => response.writeHead(status).end());

      expect(await world.post()).toEqual({ kind: 'sent' });
    },
  );

  it.each<[what: string, respond: (response: ServerResponse) => void]>([
    ['is endless', (response) => response.write('x'.repeat(200_000))],
    ['never comes', (response) => response.flushHeaders()],
    [
      'cannot be unpacked',
      (response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' }).end('x');
      },
    ],
  ])('reads only the status of a webhook answer whose body %s', async (_what, respond) => {
    await using world = await hook(respond);

    expect(await world.post()).toEqual({ kind: 'sent' });
  });

  it('treats a webhook that answers 410 as gone', async () => {
    await using world = await hook((response) => response.writeHead(410).end());

    expect(await world.post()).toEqual({ kind: 'gone', reason: 'HTTP 410 Gone' });
  });

  it.each([300, 301, 307, 400, 401, 403, 404, 409, 422, 500, 502, 504])(
    'reads the answer %i of a webhook as a failure, and reports only the status',
    async (status) => {
      await using world = await hook((response) => {
        response.writeHead(status, { location: `${world.url}/elsewhere` }).end('secret words');
      });

      expect(await world.post()).toEqual({ kind: 'failed', reason: `HTTP ${status}` });
      expect(world.requests).toHaveLength(1);
    },
  );

  it.each([
    [429, '7', 7],
    [503, '120', 120],
    [503, new Date(NOON + 60_000).toUTCString(), 60],
    [503, '999999', 86_400],
  ])(
    "waits after a webhook's answer %i as long as its Retry-After: %s",
    async (status, asked, seconds) => {
      await using world = await hook((response) => {
        response.writeHead(status, { 'retry-after': asked }).end();
      });

      expect(await world.post()).toEqual({
        kind: 'failed',
        reason: `HTTP ${status}`,
        retryAfterSeconds: seconds,
      });
    },
  );

  it.each(['0', new Date(NOON - 60_000).toUTCString()])(
    "ignores a webhook's Retry-After that has already passed: %s",
    async (asked) => {
      await using world = await hook((response) => {
        response.writeHead(503, { 'retry-after': asked }).end();
      });

      expect(await world.post()).toEqual({ kind: 'failed', reason: 'HTTP 503' });
    },
  );

  it('reads a missing answer of a webhook as a failure', async () => {
    await using world = await hook(() => {}, { deadlineMs: 50 });

    expect(await world.post()).toEqual({ kind: 'failed', reason: 'the request timed out' });
  });
});

it.each([
  ['http://127.0.0.2:1/', 'refused'],
  ['https://[::1]:1/', 'refused'],
  ['https://inside.example.com:1/', 'failed'],
])('does not contact a webhook at %s: %s', async (url, kind) => {
  await using world = await hook((response) => response.end(), { destinations: 'public' });

  expect(await world.post([OLD], url)).toEqual({
    kind,
    reason: 'the address of the host is not public',
  });
});

it.each(['https://93.184.215.14:1/', 'https://hook.example.com:1/'])(
  'rejects a webhook at %s in a local stack, with a reason',
  async (url) => {
    await using world = await hook((response) => response.end());

    expect(await world.post([OLD], url)).toEqual({
      kind: 'refused',
      reason: 'a local stack sends webhooks only to 127.0.0.1',
    });
  },
);

it('signs an attempt to post to a webhook with the real time, whatever the simulated time of the stack', async () => {
  await using world = await hook((response) => response.end(), { now: () => 0 });

  await world.post();

  const { body = '', headers } = world.requests[0] ?? {};
  const verified = new Webhook(OLD ?? '').verify(body, headers as Record<string, string>);
  expect(verified).toEqual(posted);
});

it("reports a webhook that cannot be reached with the system's error code", async () => {
  const gone = await hook(() => {});
  await gone[Symbol.asyncDispose]();

  expect(await gone.post()).toEqual({
    kind: 'failed',
    reason: 'the host could not be reached (ECONNREFUSED)',
  });
});

it('sends several alerts in one signed request to a webhook with batches', async () => {
  await using world = await hook((response) => response.end());
  const another = anAlert({ id: 'b.1.1' });
  const singly = [alert, another].map((alert) => ({ kind: 'alert' as const, alert, chart: 'c' }));

  const answer = await world.send({ ...digestOf('d1', [alert, another]), singly });

  const [request] = world.requests;
  expect(answer).toEqual({ kind: 'sent' });
  expect(request?.headers['webhook-id']).toBe('d1');
  const verified = new Webhook(OLD ?? '').verify(
    request?.body ?? '',
    request?.headers as Record<string, string>,
  );
  expect(AlertBatch.parse(verified)).toEqual({ type: 'alerts', alerts: singly.map(alertMessage) });
});

it('rejects a digest for a webhook', async () => {
  await using world = await hook((response) => response.end());

  const answer = await world.send(digestOf('d1', [alert]));

  expect(answer).toMatchObject({ kind: 'refused' });
  expect(world.requests).toEqual([]);
});

/** A tenant's server. */
async function hook(
  respond: Parameters<typeof startHttpServer>[0],
  {
    deadlineMs = 10_000,
    destinations = 'loopback-only',
    now = Date.now,
  }: {
    readonly deadlineMs?: number;
    readonly destinations?: WebhookDestinations;
    readonly now?: () => number;
  } = {},
) {
  const server = await startHttpServer(respond);
  const guard: HttpGuard = {
    destinations,
    resolve: async () => [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ],
  };
  const { post, prove } = createSignedWebhooks(
    createWebhookClients(createHttpClient, { deadlineMs, maxConnections: 2 }, guard),
    { now, wallClock: Date.now, newChallenge: () => CHALLENGE },
  );
  const url = `${server.url}/hook?token=1`;
  return {
    url: server.url,
    requests: server.requests,
    post: (secrets: readonly (string | undefined)[] = [OLD], at = url) =>
      post(at, secrets.map(String), { kind: 'alert', alert }, signal),
    prove: (at = url) => prove(at, [String(OLD)], signal),
    send: (notification: Parameters<typeof post>[2]) =>
      post(url, [String(OLD)], notification, signal),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
