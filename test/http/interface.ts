import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { vi } from 'vitest';
import { createLocalTopics } from '#infra/local/local-topics.ts';
import { createMemoryTable, type MemoryTable } from '#infra/local/memory-table.ts';
import { startGateway } from '#infra/local/runtime/gateway.ts';
import { startMarketServer } from '#infra/local/upstream/market-server.ts';
import { createSimulatedMarket } from '#infra/local/upstream/simulated-market.ts';
import { worldApi } from '#infra/local/world-api.ts';
import { createFiles } from '#infra/local/world-files.ts';
import { createFunctions, type Invoke, type WorldFunctions } from '#infra/local/world-functions.ts';
import { type WorldParts, worldOutside } from '#infra/local/world-outside.ts';
import { worldVariables } from '#infra/local/world-variables.ts';
import { findStage } from '#infra/stack/stages.ts';
import { publicHalfOf } from '#shared/clients/channel-key.ts';
import { publicPushKeyOf } from '#shared/clients/push-key.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { SECOND } from '#shared/domain/market/instant.ts';
import { sleepUntil } from '#shared/runtime/clock.ts';
import type { Item } from '#shared/stores/table.ts';
import { NOON } from '#test/support/builders.ts';
import { CHANNEL_KEY } from '#test/support/channel-keys.ts';
import { chatOriginsAt } from '#test/support/chats.ts';
import { documented } from '#test/support/documented.ts';
import { PUSH_KEY } from '#test/support/push-key.ts';

/** A request as it is sent; its path is not normalized. */
export type Asking = {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Whether the function receives the body in base64, as API Gateway passes binary bodies. */
  readonly inBase64?: boolean;
};

export type Answer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
};

/** The API as it is deployed, but in one process. */
export type Interface = AsyncDisposable & {
  /** Sends a request, one second of simulated time after the previous one. */
  readonly ask: (asking: Asking) => Promise<Answer>;
  readonly items: () => readonly Item[];
  /** Replaces the content of the table. */
  readonly restore: (items: readonly Item[]) => Promise<void>;
  readonly table: MemoryTable;
  /** The collections of the upstream. */
  readonly collections: readonly ContractKey[];
  /**
   * Failures since the previous call: responses that violate the OpenAPI document, and unexpected
   * errors.
   */
  readonly takeFailures: () => readonly string[];
};

export const UPSTREAM_KEY = 'key-that-only-the-upstream-sees';
const channelKeyParameter = '/floorwatch/test/channel-key';
const linkKeyParameter = '/floorwatch/test/link-key';
const channelPublicKeyParameter = '/floorwatch/test/channel-public-key';
const pushKeyParameter = '/floorwatch/test/push-key';
const pushPublicKeyParameter = '/floorwatch/test/push-public-key';
const upstreamKeyParameter = '/floorwatch/test/upstream-key';

/**
 * All functions of the API with a table in memory. The gateway uses the route tables of the stack,
 * and each response of a function is validated against the OpenAPI document.
 */
export async function startInterface(): Promise<Interface> {
  await using starting = new AsyncDisposableStack();
  vi.useFakeTimers({ toFake: ['Date'], now: NOON });
  starting.defer(() => void vi.useRealTimers());
  const failures: string[] = [];
  let memory = createMemoryTable();
  const table = currentOf(() => memory);

  const source = createSimulatedMarket(1, NOON);
  const now = () => Date.now();
  const upstream = await startMarketServer({ source, now, apiKey: UPSTREAM_KEY });
  starting.defer(upstream.close);
  const folder = await mkdtemp(join(tmpdir(), 'floorwatch-http-'));
  starting.defer(() => rm(folder, { recursive: true, force: true }));
  const filesOf = createFiles(folder);

  let inBase64 = false;
  const parts: WorldParts = {
    now,
    wallClock: now,
    sleepUntil,
    call: (_port, work) => work(),
    table,
    queues: { send: async () => {}, depth: () => ({ waiting: 0, underWay: 0 }) },
    topics: createLocalTopics(async () => {}),
    sendEmail: async () => ({ kind: 'accepted' }),
    parameters: new Map([
      [channelKeyParameter, CHANNEL_KEY],
      [channelPublicKeyParameter, publicHalfOf(CHANNEL_KEY)],
      [pushKeyParameter, PUSH_KEY],
      [pushPublicKeyParameter, publicPushKeyOf(PUSH_KEY)],
      [linkKeyParameter, 'the key of links'],
      [upstreamKeyParameter, UPSTREAM_KEY],
    ]),
    print: (_name, line) => {
      if (/"event":"request_failed".*:internal"/.test(line)) failures.push(line);
    },
  };
  const stage = findStage('dev', {
    ...{ channelKeyParameter, channelPublicKeyParameter, linkKeyParameter, upstreamKeyParameter },
    ...{ pushKeyParameter, pushPublicKeyParameter },
    slackWebhookParameter: '/floorwatch/test/slack-webhook',
    upstreamUrl: upstream.url,
    chatOrigins: chatOriginsAt('http://127.0.0.1:1'),
    webhookDestinations: 'loopback-only',
    operatorAlerts: 'all',
    // The limit allows requests for thousands of resources.
    apiUnitsPerMinute: 1_000_000,
  });
  const variables = worldVariables(stage, { publicUrl: 'http://127.0.0.1:1/v1/' });
  const functions = createFunctions((name) =>
    worldOutside(parts, { ...variables, ...filesOf(name) }),
  );
  const checked = Object.fromEntries(
    Object.entries(functions).map(([name, invoke]) => {
      const check = documented(async (event) => (await invoke(event)) as APIGatewayProxyResult);
      const asked: Invoke = (event) => {
        const given = event as APIGatewayProxyEvent;
        return check(inBase64 && given.body ? asBase64(given) : given, CONTEXT);
      };
      return [name, name === 'authorize-request' ? invoke : asked];
    }),
  ) as unknown as WorldFunctions;

  const gateway = await startGateway({
    stage: 'test',
    api: worldApi(checked, false),
    now,
    onFailure: (error) => failures.push(error instanceof Error ? `${error.stack}` : String(error)),
    pages: {},
  });
  starting.defer(gateway.close);
  const agent = new Agent({ keepAlive: true });
  starting.defer(() => agent.destroy());
  const ending = starting.move();

  return {
    table,
    collections: source.contracts().map(({ contract }) => contract),
    items: () => memory.items(),
    restore: async (items) => {
      memory = createMemoryTable();
      await memory.putAll(items);
    },
    takeFailures: () => failures.splice(0),
    ask: async ({ inBase64: encoded = false, ...asking }) => {
      inBase64 = encoded;
      vi.setSystemTime(Date.now() + SECOND);
      return await askOverHttp(gateway.url, agent, asking);
    },
    [Symbol.asyncDispose]: () => ending.disposeAsync(),
  };
}

/** Sends a request without normalizing its path or body. */
async function askOverHttp(
  url: string,
  agent: Agent,
  { method, path, headers = {}, body }: Omit<Asking, 'inBase64'>,
): Promise<Answer> {
  const { hostname, port, pathname: stage } = new URL(url);
  const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
  const request = httpRequest({
    ...{ hostname, port, agent, method, path: `${stage}${path}` },
    headers: { ...headers, ...length },
  });
  request.end(body);
  const [response] = await once(request, 'response');
  const text = (await buffer(response)).toString();
  return { status: response.statusCode, headers: response.headers, text };
}

const CONTEXT = {
  awsRequestId: 'request',
  getRemainingTimeInMillis: () => 25_000,
} as Context;

function asBase64(event: APIGatewayProxyEvent): APIGatewayProxyEvent {
  const body = Buffer.from(event.body ?? '').toString('base64');
  return { ...event, body, isBase64Encoded: true };
}

/** A table that delegates to the current table. */
function currentOf(current: () => MemoryTable): MemoryTable {
  return {
    items: () => current().items(),
    get: (...given) => current().get(...given),
    put: (...given) => current().put(...given),
    delete: (...given) => current().delete(...given),
    transact: (...given) => current().transact(...given),
    getAll: (...given) => current().getAll(...given),
    putAll: (...given) => current().putAll(...given),
    deleteAll: (...given) => current().deleteAll(...given),
    query: (...given) => current().query(...given),
    queryThresholdIndex: (...given) => current().queryThresholdIndex(...given),
    due: (...given) => current().due(...given),
  };
}
