import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { createAlertTopics } from '#shared/clients/alert-topics.ts';
import { AWS_CLIENTS, clientSettings } from '#shared/clients/aws-clients.ts';
import { createFifoSender } from '#shared/clients/fifo-queue.ts';
import { tableRuntime } from '#shared/runtime/table-runtime.ts';
import { createDynamoTable } from '#shared/stores/dynamo-table.ts';
import { anAlert } from '#test/support/builders.ts';
import { startHttpServer } from '#test/support/http-server.ts';

const at = (endpoint: string) => ({
  endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
});
/** The settings of functions, with a timeout that is short enough for a test. */
const hurried = ({ maxAttempts }: { readonly maxAttempts: number }, timeoutMs = 25) =>
  clientSettings({ maxAttempts, timeoutMs });
const STACK_TOPIC = 'arn:aws:sns:us-east-1:000000000000:stack';

/** One call of each client that functions make. */
const CALLS = [
  {
    client: 'table',
    attempts: 3,
    call: async (endpoint: string) => {
      const client = new DynamoDBClient({ ...hurried(AWS_CLIENTS.table), ...at(endpoint) });
      await createDynamoTable(client, 'Watches', tableRuntime).get({ pk: 'a', sk: 'b' });
    },
  },
  {
    client: 'queues',
    attempts: 3,
    call: async (endpoint: string) => {
      const client = new SQSClient({
        ...AWS_CLIENTS.queues,
        ...hurried(AWS_CLIENTS.queues),
        ...at(endpoint),
      });
      const trace = () => undefined;
      const send = createFifoSender<string>(client, `${endpoint}/1/a.fifo`, () => 'one', trace);
      await send([{ message: 'hello', deduplication: 'hello' }]);
    },
  },
  {
    client: 'topics',
    attempts: 3,
    call: async (endpoint: string) => {
      const client = new SNSClient({ ...hurried(AWS_CLIENTS.topics), ...at(endpoint) });
      const topics = createAlertTopics(client, { stackTopicArn: STACK_TOPIC, prefix: 'dev-' });
      await topics.hasTopic(
        { tenant: 'acme', id: 'punks' },
        { protocol: 'email', endpoint: 'desk@example.com' },
      );
    },
  },
  {
    client: 'publications',
    // A message that may have been accepted is not published again.
    attempts: 1,
    call: async (endpoint: string) => {
      const client = new SNSClient({ ...hurried(AWS_CLIENTS.publications), ...at(endpoint) });
      const topics = createAlertTopics(client, { stackTopicArn: STACK_TOPIC, prefix: 'dev-' });
      await topics.publishToStack({ kind: 'alert', alert: anAlert() });
    },
  },
] as const;

it('tests the settings of every AWS client with stalling servers', () => {
  expect(CALLS.map(({ client }) => client)).toEqual(Object.keys(AWS_CLIENTS));
});

describe.each(CALLS)('a call of the AWS client for $client', ({ attempts, call }) => {
  it.each([
    ['accepts connections and never answers', () => undefined],
    ['sends a head and no body', (socket: Socket) => socket.write(HEAD)],
    ['stops within its body', (socket: Socket) => socket.write(`${HEAD}{"Item":`)],
    ['sends headers without end', sendHeadersWithoutEnd],
  ])(
    'a call of an AWS client to a server that %s times out in each attempt, and fails after the last one',
    async (_what, respond) => {
      await using server = await startStallingServer(respond);

      await expect(call(server.url)).rejects.toMatchObject({
        name: 'TimeoutError',
        $metadata: { attempts },
      });
    },
  );
});

it('an AWS client retries on a new connection if the server never answered on the first one', async () => {
  await using server = await startHttpServer((response, _request, count) => {
    if (count > 1) response.end('{"Item":{"pk":{"S":"a"},"sk":{"S":"b"}}}');
  });
  const client = new DynamoDBClient({ ...hurried(AWS_CLIENTS.table, 300), ...at(server.url) });

  const item = await createDynamoTable(client, 'Watches', tableRuntime).get({ pk: 'a', sk: 'b' });

  expect(item).toEqual({ pk: 'a', sk: 'b' });
  expect(server.requests).toHaveLength(2);
});

it.each(Object.entries(AWS_CLIENTS))(
  'the timeouts of the AWS client for %s are between one and five seconds',
  (_client, { requestHandler }) => {
    const { connectionTimeout, requestTimeout, socketTimeout } = requestHandler;

    for (const timeout of [connectionTimeout, requestTimeout, socketTimeout]) {
      expect(timeout).toBeGreaterThanOrEqual(1000);
      expect(timeout).toBeLessThanOrEqual(5000);
    }
  },
);

const HEAD =
  'HTTP/1.1 200 OK\r\ncontent-type: application/x-amz-json-1.0\r\ncontent-length: 1000\r\n\r\n';

function sendHeadersWithoutEnd(socket: Socket): void {
  socket.write('HTTP/1.1 200 OK\r\n');
  const timer = setInterval(() => socket.write('x: y\r\n'), 5);
  socket.once('close', () => clearInterval(timer));
}

/** A server on 127.0.0.1 that calls `respond` once per connection. */
async function startStallingServer(respond: (socket: Socket) => unknown) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    // A client that closes its connection is not a failure of the test.
    socket.on('error', () => undefined);
    socket.once('data', () => respond(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
