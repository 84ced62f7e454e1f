import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { vi } from 'vitest';
import * as z from 'zod';
import type { MemoryTable } from '#infra/local/memory-table.ts';
import { createResources, startEngines } from '#infra/local/runtime/engines.ts';
import type { LocalFunction } from '#infra/local/runtime/functions.ts';
import { startGateway } from '#infra/local/runtime/gateway.ts';
import { readStack, region } from '#infra/local/runtime/template.ts';
import { projectRoot, synthesizeStack } from '#infra/local/synthesize.ts';
import { startMarketServer } from '#infra/local/upstream/market-server.ts';
import { createSimulatedMarket } from '#infra/local/upstream/simulated-market.ts';
import { publicHalfOf } from '#shared/clients/channel-key.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { SECOND } from '#shared/domain/market/instant.ts';
import type { Item } from '#shared/stores/table.ts';
import { NOON } from '#test/support/builders.ts';
import { CHANNEL_KEY } from '#test/support/channel-keys.ts';
import { chatOriginsAt } from '#test/support/chats.ts';
import { documented } from '#test/support/documented.ts';

/** A request as it goes over the wire: its path is not touched on the way. */
export type Asking = {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /**
   * Whether the function gets the body in base64, as the service gives what it takes for binary.
   */
  readonly inBase64?: boolean;
};

export type Answer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
};

/** The HTTP interface as it is deployed, in one process. */
export type Interface = AsyncDisposable & {
  /** A second passes before each request; else time stands still. */
  readonly ask: (asking: Asking) => Promise<Answer>;
  readonly items: () => readonly Item[];
  /** Makes the table what it was. */
  readonly restore: (items: readonly Item[]) => Promise<void>;
  readonly table: MemoryTable;
  /** What the upstream reports. */
  readonly collections: readonly ContractKey[];
  /**
   * What went wrong behind the answers since this was asked last: what the document does not know,
   * what was not foreseen.
   */
  readonly takeFailures: () => readonly string[];
};

export const UPSTREAM_KEY = 'key-that-only-the-upstream-sees';
const channelKeyParameter = '/floorwatch/test/channel-key';
const linkKeyParameter = '/floorwatch/test/link-key';
const channelPublicKeyParameter = '/floorwatch/test/channel-public-key';
const upstreamKeyParameter = '/floorwatch/test/upstream-key';

/**
 * The template's gateway before the handlers that it names, with their variables and the engines of
 * the local stack, but for the table, which is in memory. So a function or a route that is new is
 * met as soon as the stack has it. Each answer of a function is held against the OpenAPI document.
 */
export async function startInterface(): Promise<Interface> {
  await using starting = new AsyncDisposableStack();
  vi.useFakeTimers({ toFake: ['Date'], now: NOON });
  starting.defer(() => void vi.useRealTimers());
  const failures: string[] = [];
  // A handler reads its environment when it is loaded, and files of tests share modules. The table
  // is loaded with the handlers: they know its errors by their class.
  vi.resetModules();
  starting.defer(() => void vi.resetModules());
  const { createMemoryTable } = await import('#infra/local/memory-table.ts');
  let memory = createMemoryTable();
  const table = currentOf(() => memory);
  vi.doMock('#shared/stores/dynamo-table.ts', async (original) => ({
    ...(await original<object>()),
    createDynamoTable: () => table,
  }));
  vi.doMock('#shared/stores/dynamo-bulk-table.ts', () => ({ createBulkTable: () => table }));
  starting.defer(() => {
    vi.doUnmock('#shared/stores/dynamo-table.ts');
    vi.doUnmock('#shared/stores/dynamo-bulk-table.ts');
  });
  // What functions log is looked at where it reports an error.
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
    if (/"event":"request_failed".*:internal"/.test(String(line))) failures.push(String(line));
    return true;
  });
  starting.defer(() => write.mockRestore());

  const source = createSimulatedMarket(1, NOON);
  const now = () => Date.now();
  const upstream = await startMarketServer({ source, now, apiKey: UPSTREAM_KEY });
  starting.defer(upstream.close);
  const assembly = await mkdtemp(join(tmpdir(), 'floorwatch-http-'));
  starting.defer(() => rm(assembly, { recursive: true, force: true }));
  const [template, engines] = await Promise.all([
    synthesizeStack(
      {
        upstreamUrl: upstream.url,
        chatOrigins: chatOriginsAt('http://127.0.0.1:1'),
        slackWebhookParameter: '/floorwatch/test/slack-webhook',
        channelKeyParameter,
        channelPublicKeyParameter,
        linkKeyParameter,
        webhookDestinations: 'loopback-only',
        upstreamKeyParameter,
        operatorEmails: [],
        operatorAlerts: 'all',
        // A request for thousands of things is answered too.
        apiUnitsPerMinute: 1_000_000,
      },
      assembly,
    ),
    startEngines({
      parameters: new Map([
        [channelKeyParameter, CHANNEL_KEY],
        [channelPublicKeyParameter, publicHalfOf(CHANNEL_KEY)],
        [linkKeyParameter, 'the key of links'],
        [upstreamKeyParameter, UPSTREAM_KEY],
      ]),
      now: Date.now,
      onPublish: async () => undefined,
    }),
  ]);
  starting.defer(engines.close);
  const stack = readStack(template, engines.queueOrigin);
  await createResources(engines, stack);

  let inBase64 = false;
  const variables = {
    ...engines.endpoints,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  };
  const functions = stack.find('AWS::Lambda::Function', FunctionProperties).map((found) => {
    const folder = z.string().parse(found.metadata['floorwatch:folder']);
    const { Variables } = found.properties.Environment;
    const load = remembered(async () => {
      for (const [name, value] of Object.entries({ ...variables, ...Variables })) {
        vi.stubEnv(name, value);
      }
      const module: { readonly handler: Handler } = await import(
        join(projectRoot, 'functions', folder, 'handler.ts')
      );
      return folder === 'authorize-request' ? module.handler : documented(module.handler);
    });
    const lambda = inThisProcess(folder, async (event) => {
      const handler = await load();
      const given = inBase64 && event.body ? asBase64(event) : event;
      return await handler(given, CONTEXT);
    });
    return { references: [found.ref, found.arn], lambda };
  });

  const gateway = await startGateway({
    stack,
    functionOf: (reference) => {
      const found = functions.find(({ references }) => references.includes(reference));
      if (found === undefined) throw new Error(`there is no function ${reference}`);
      return found.lambda;
    },
    clock: { now, advanceTo: () => undefined, shared: new SharedArrayBuffer(8) },
    onFailure: (error) => failures.push(error instanceof Error ? `${error.stack}` : String(error)),
    pages: {},
    stage: 'test',
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

/** Sends a request as it is; neither path nor body is made well-formed on the way. */
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

type Handler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

const FunctionProperties = z.object({
  Environment: z.object({ Variables: z.record(z.string(), z.string()) }).default({ Variables: {} }),
});

const CONTEXT = {
  awsRequestId: 'request',
  getRemainingTimeInMillis: () => 25_000,
} as Context;

function inThisProcess(
  name: string,
  handle: (event: APIGatewayProxyEvent) => Promise<unknown>,
): LocalFunction {
  return {
    name,
    concurrency: 1,
    warm: () => undefined,
    invoke: async (event) => {
      try {
        return await handle(event as APIGatewayProxyEvent);
      } catch (error) {
        // Of what a function throws, the service hands on the words.
        const { message, stack } = error instanceof Error ? error : new Error(String(error));
        throw Object.assign(new Error(message, { cause: message }), { stack });
      }
    },
    busy: () => 0,
    asleepUntil: () => undefined,
    wake: () => undefined,
    kill: async () => undefined,
  };
}

function asBase64(event: APIGatewayProxyEvent): APIGatewayProxyEvent {
  const body = Buffer.from(event.body ?? '').toString('base64');
  return { ...event, body, isBase64Encoded: true };
}

/** The table that stands for all tables, whichever it is at the moment. */
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

function remembered<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let known: Promise<Value> | undefined;
  return () => {
    known ??= load();
    return known;
  };
}
