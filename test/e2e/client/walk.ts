import { equal, ok } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import process from 'node:process';
import { json } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import createClient from 'openapi-fetch';
import type { components, paths } from './generated/schema.ts';

/**
 * Uses the API with the generated types, without a cast. If it compiles, the document specifies
 * enough. If it runs, the document is correct.
 */
const [, , baseUrl = '', apiKey = ''] = process.argv;
// Only JSON is used, also for operations that can return CSV.
const client = createClient<paths, 'application/json' | 'application/problem+json'>({
  baseUrl,
  headers: { 'X-API-Key': apiKey },
});

const receiver = createServer((request, response) => {
  void json(request).then((answered) => {
    // A receiver that returns the challenge receives alerts afterwards.
    const isChallenge =
      typeof answered === 'object' && answered !== null && 'challenge' in answered;
    response.end(isChallenge ? String(answered.challenge) : undefined);
  });
});
receiver.listen(0, '127.0.0.1');
await once(receiver, 'listening');
const address = receiver.address();
ok(address !== null && typeof address === 'object');

const demo = answered(await client.GET('/v1/watchlists/{watchlist}', at({ watchlist: 'demo' })));
const [watched] = demo.contracts;
ok(watched);
const { contract } = watched;

const preview = answered(
  await client.POST('/v1/rules/preview', {
    body: {
      contracts: [contract],
      rule: { metric: 'floor_price', when: 'below', threshold: '0.000001' },
    },
  }),
);
ok(preview.contracts.length === 1);

const made = await client.POST('/v1/watchlists', {
  body: {
    id: 'generated',
    name: 'By a generated client',
    contracts: [{ contract, name: 'Apes' }],
    rules: [{ id: 'any', metric: 'floor_price', when: 'above', threshold: '0.000001' }],
  },
});
const list = answered(made);
equal(list.revision, 1);
equal(made.response.headers.get('Location'), '/v1/watchlists/generated');

const hook = answered(
  await client.POST('/v1/watchlists/{watchlist}/channels', {
    ...at({ watchlist: list.id }),
    body: {
      id: 'bot',
      kind: 'webhook',
      url: `http://127.0.0.1:${address.port}/alerts`,
      secrets: [`whsec_${randomBytes(32).toString('base64')}`],
    },
  }),
);
// A string would be the id of a contact point.
ok(typeof hook.channel === 'object');
equal(hook.channel.kind, 'webhook');

const alert = await eventually(async () => {
  const page = answered(
    await client.GET('/v1/watchlists/{watchlist}/alerts', {
      params: { path: { watchlist: list.id }, query: { limit: 5 } },
    }),
  );
  return page.alerts.find(({ kind }) => kind === 'fired');
});
equal(alert.name, 'Apes');

const test = answered(
  await client.POST('/v1/watchlists/{watchlist}/channels/{channel}/test', {
    ...at({ watchlist: list.id, channel: 'bot' }),
  }),
);
const sample = test.self.split('/').at(-1) ?? '';
await eventually(async () => {
  const { deliveries } = answered(
    await client.GET('/v1/watchlists/{watchlist}/alerts/{alert}', {
      ...at({ watchlist: list.id, alert: sample }),
    }),
  );
  return deliveries.bot?.state === 'sent' ? deliveries : undefined;
});

const mute = answered(
  await client.POST('/v1/watchlists/{watchlist}/mutes', {
    ...at({ watchlist: list.id }),
    body: { for: '6h', reason: 'a test' },
  }),
);
const explained = answered(
  await client.GET('/v1/watchlists/{watchlist}/watches/{contract}/{rule}/explain', {
    ...at({ watchlist: list.id, contract, rule: 'any' }),
  }),
);
ok('state' in explained);
equal(explained.state, 'firing');
await client.DELETE('/v1/watchlists/{watchlist}/mutes/{mute}', {
  params: { path: { watchlist: list.id, mute: mute.id }, header: { 'If-Match': '*' } },
});

const refused = await client.PUT('/v1/watchlists/{watchlist}', {
  ...at({ watchlist: list.id }),
  body: { name: 'Without a revision' },
});
equal(refused.error?.status, 428);

const exported = answered(
  await client.GET('/v1/watchlists/{watchlist}/export', at({ watchlist: list.id })),
);
const again = answered(
  await client.PUT('/v1/watchlists/{watchlist}', {
    params: { path: { watchlist: list.id }, header: { 'If-Match': '*' } },
    body: exported,
  }),
);
equal(again.revision, hook.revision);

const { response: removed } = await client.DELETE('/v1/watchlists/{watchlist}', {
  params: { path: { watchlist: list.id }, header: { 'If-Match': '*' } },
});
equal(removed.status, 204);
const gone = await client.GET('/v1/watchlists/{watchlist}', at({ watchlist: list.id }));
equal(gone.error?.type, 'urn:floorwatch:problem:not_found');
receiver.close();
process.stdout.write(
  'a generated client has previewed, made, watched, muted, explained, exported and deleted a list\n',
);

function at<Path>(path: Path): { readonly params: { readonly path: Path } } {
  return { params: { path } };
}

type Reported<Body> =
  | { readonly data: Body; readonly error?: never; readonly response: Response }
  | {
      readonly data?: never;
      readonly error: components['schemas']['Problem'];
      readonly response: Response;
    };

/** The body of a successful response. Throws if the response is a problem. */
function answered<Body>({ data, error, response }: Reported<Body>): Body {
  if (error === undefined) return data;
  const where = (error.errors ?? []).map(({ pointer }) => pointer).join(' ');
  throw new Error(`${response.url} answered ${error.status} ${where}: ${error.detail}`);
}

/** Repeats a request until it returns a value. The caller limits the time. */
async function eventually<Value>(ask: () => Promise<Value | undefined>): Promise<Value> {
  for (;;) {
    const value = await ask();
    if (value !== undefined) return value;
    await wait(100);
  }
}
