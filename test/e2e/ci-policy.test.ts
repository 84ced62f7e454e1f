import { mkdtempSync, readFileSync } from 'node:fs';
import { request as send } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { startFauxqs } from 'fauxqs';
import { expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { closeServer, createLoopbackServer, listen } from '#infra/local/runtime/loopback.ts';
import { writeSettings } from '#infra/stack/settings.ts';
import { tableRuntime } from '#shared/runtime/table-runtime.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import { createDynamoTable } from '#shared/stores/dynamo-table.ts';
import { aContractRecord } from '#test/support/builders.ts';
import { isLike } from '#test/support/iam-policy.ts';
import { operate } from '#test/support/operate.ts';
import { anOperatorSns } from '#test/support/operator-sns.ts';
import { aStackTable, awsAt } from '#test/support/stack-table.ts';

const [REGION, ACCOUNT] = ['eu-west-1', '123456789012'];
const TABLE = 'floorwatch-prod-WatchTable1';
const CANARY = 'canary-of-floorwatch-prod';

/** An action on a resource, as IAM authorizes it. */
type Call = { readonly action: string; readonly resource: string };

it('the policy for CI allows each AWS call of npm run operate -- status', async () => {
  const calls = await callsOfStatus();

  expect(Object.keys(Object.groupBy(calls, ({ action }) => action)).toSorted()).toEqual(
    expect.arrayContaining(['dynamodb:Query', 'ses:GetAccount', 'sns:ListSubscriptionsByTopic']),
  );
  expect(calls.filter((call) => !isAllowed(call))).toEqual([]);
});

const Policy = z.object({
  Statement: z.array(
    z.object({
      Effect: z.literal('Allow'),
      Action: z.union([z.array(z.string()), z.string().transform((only) => [only])]),
      Resource: z.union([z.array(z.string()), z.string().transform((only) => [only])]),
    }),
  ),
});
const { Statement: statements } = Policy.parse(
  JSON.parse(readFileSync('infra/operate/ci/deploy-policy.json', 'utf8')),
);

function isAllowed({ action, resource }: Call): boolean {
  return statements.some(
    ({ Action, Resource }) =>
      Action.includes(action) && Resource.some((pattern) => isLike(pattern, resource)),
  );
}

/** The AWS calls of `status` for a stage that has every resource that `status` reports. */
async function callsOfStatus(): Promise<readonly Call[]> {
  const { endpoint, client } = await aStackTable(TABLE);
  await createContractStore(createDynamoTable(client, TABLE, tableRuntime), Date.now).put(
    aContractRecord({ version: 0 }),
  );
  const queues = await startFauxqs({ port: 0, host: '127.0.0.1', logger: false });
  onTestFinished(() => queues.stop());
  for (const name of ['floorwatch-prod-DeadLetters', CANARY]) queues.createQueue(name);
  const sns = await anOperatorSns({
    'alarms-of-floorwatch-prod': { 'ops@example.com': 'confirmed' },
    'tickets-of-floorwatch-prod': { 'ops@example.com': 'confirmed' },
  });
  const services = { dynamodb: endpoint, sqs: queues.address, sns: sns.endpoint, ses: undefined };
  const { url, calls, failures } = await aRecorder(services);
  const folder = mkdtempSync(join(tmpdir(), 'settings-'));
  writeSettings(folder, 'prod', { emailSender: 'alerts@example.com' });

  const env = { ...awsAt(url), AWS_ENDPOINT_URL: url, AWS_REGION: REGION };
  const { out, error } = await operate(['status', '--stage', 'prod', '--settings', folder], env);

  expect([failures, error]).toEqual([[], '']);
  expect(out).toContain('ops@example.com for pages');
  return calls;
}

/**
 * A proxy that records each call and forwards it to its service, named in the request signature.
 */
async function aRecorder(services: Readonly<Record<string, string | undefined>>) {
  const calls: Call[] = [];
  const failures: unknown[] = [];
  const server = createLoopbackServer(
    async (incoming, response) => {
      const { method = '', url = '/', headers } = incoming;
      const body = (await buffer(incoming)).toString();
      const [, service = ''] = /\/(\w+)\/aws4_request/.exec(headers.authorization ?? '') ?? [];
      calls.push(readCall(service, `${method} ${url}`, headers['x-amz-target'], body));
      const target = services[service];
      if (target === undefined) {
        response.end('{}');
        return;
      }
      const forwarded = send(new URL(url, target), { method, headers });
      const answered = Promise.withResolvers<void>();
      forwarded.once('error', answered.reject);
      forwarded.once('response', (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        pipeline(answer, response).then(answered.resolve, answered.reject);
      });
      forwarded.end(body);
      await answered.promise;
    },
    (error) => failures.push(error),
  );
  const url = await listen(server);
  onTestFinished(() => closeServer(server));
  return { url, calls, failures };
}

/**
 * Parses a request into the call that IAM authorizes. Throws on an unknown request, so that no call
 * is unchecked.
 */
function readCall(service: string, asked: string, target: unknown, body: string): Call {
  const call = (operation: string, resource: string): Call => ({
    action: `${service}:${operation}`,
    resource: `arn:aws:${service}:${REGION}:${ACCOUNT}:${resource}`,
  });
  const operation = String(target).split('.').at(-1) ?? '';
  if (service === 'dynamodb') {
    const { TableName, RequestItems = {} } = TableRequest.parse(JSON.parse(body));
    const [table = '*'] = [TableName ?? [], Object.keys(RequestItems)].flat();
    return call(operation, `table/${table}`);
  }
  if (service === 'sqs') {
    const { QueueUrl, QueueName = '*' } = QueueRequest.parse(JSON.parse(body));
    return call(operation, QueueUrl?.split('/').at(-1) ?? QueueName);
  }
  if (service === 'sns') {
    const { Action, TopicArn = '*' } = TopicRequest.parse(
      Object.fromEntries(new URLSearchParams(body)),
    );
    return call(Action, TopicArn.split(':').at(-1) ?? '');
  }
  if (asked === 'GET /v2/email/account') return call('GetAccount', '*');
  const [, identity] = /^GET \/v2\/email\/identities\/([^/]+)$/.exec(asked) ?? [];
  if (identity !== undefined) return call('GetEmailIdentity', `identity/${identity}`);
  throw new Error(`unknown call of ${service}: ${asked}`);
}

const TableRequest = z.object({
  TableName: z.string().optional(),
  RequestItems: z.record(z.string(), z.unknown()).optional(),
});
const QueueRequest = z.object({
  QueueUrl: z.string().optional(),
  QueueName: z.string().optional(),
});
const TopicRequest = z.object({ Action: z.string(), TopicArn: z.string().optional() });
