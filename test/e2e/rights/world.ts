import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { demoChannels } from '#infra/local/receivers/demo-channels.ts';
import { EMAIL_SENDER, startReceivers } from '#infra/local/receivers/start-receivers.ts';
import { startMarketServer } from '#infra/local/upstream/market-server.ts';
import { createSimulatedMarket } from '#infra/local/upstream/simulated-market.ts';
import { SCHEDULED } from '#infra/local/world-functions.ts';
import { findStage } from '#infra/stack/stages.ts';
import { createSesDouble, type SentEmail } from '#shared/channels/email/double.ts';
import { publicHalfOf } from '#shared/clients/channel-key.ts';
import { publicPushKeyOf } from '#shared/clients/push-key.ts';
import { nextMinute } from '#shared/domain/market/instant.ts';
import { tableRuntime } from '#shared/runtime/table-runtime.ts';
import { createApiKeyStore } from '#shared/stores/api-key-store.ts';
import { createBulkTable } from '#shared/stores/dynamo-bulk-table.ts';
import { createDynamoTable } from '#shared/stores/dynamo-table.ts';
import { createKey } from '#shared/use-cases/manage-keys.ts';
import { synthesize } from '#test/infra/synthesized.ts';
import { type AwsCall, startCallRecorder } from '#test/support/aws-calls.ts';
import { CHANNEL_KEY } from '#test/support/channel-keys.ts';
import { PUSH_KEY } from '#test/support/push-key.ts';
import { readRoutes } from '#test/support/routes.ts';
import { account, readStack, region } from '#test/support/template.ts';
import { createResources, openAccount } from './account.ts';
import { consumeQueues } from './consume-queues.ts';
import { hostFunctions } from './hosted-functions.ts';
import { routed } from './routed.ts';

export const START = Date.parse('2026-01-05T12:00Z');
const STAGE = 'rights';
export const TENANT = 'acme';
const UPSTREAM_KEY = 'the-key-of-the-upstream';
const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
/** If no work ends for this number of milliseconds, all functions count as waiting. */
const STILL = 100;

export type World = Awaited<ReturnType<typeof startWorld>>;

type AskOptions = {
  readonly isRefused?: boolean;
  readonly 'idempotency-key'?: string;
  readonly 'if-match'?: string;
  readonly 'content-type'?: string;
};

const HttpAnswer = z.object({ statusCode: z.number(), body: z.string() });
const Authorized = z.object({ context: z.record(z.string(), z.string()) });
/**
 * The functions of the stack, each with the environment that the template gives it, over an emulated
 * account. A recorder in between reports every AWS call with the function that made it.
 */
export async function startWorld(open: AsyncDisposableStack, python: string) {
  const folder = await mkdtemp(join(tmpdir(), 'floorwatch-rights-'));
  open.defer(async () => await rm(folder, { recursive: true }));
  const offset = new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT));
  const now = () => Date.now() + Number(Atomics.load(offset, 0));
  const advanceTo = (instant: number) => {
    Atomics.store(offset, 0, BigInt(Math.trunc(instant - Date.now())));
  };
  advanceTo(START);

  const sent: unknown[] = [];
  const emails: SentEmail[] = [];
  const failures: unknown[] = [];
  const calls = new Map<string, AwsCall>();
  const onFailure = (error: unknown) => void failures.push(error);
  const market = createSimulatedMarket(1, START);
  const upstream = await startMarketServer({ source: market, now, apiKey: UPSTREAM_KEY });
  open.defer(upstream.close);
  const receivers = await startReceivers({
    ...{ webhookSecret: WEBHOOK_SECRET, webhookPort: 0, now },
    ...{ deliver: (message: unknown) => sent.push(message), onRefusal: () => {} },
  });
  open.defer(receivers.close);
  const emulator = await openAccount(open, python, folder);
  const recorder = open.use(
    await startCallRecorder({
      ...{ endpoint: emulator.endpoint, onFailure },
      sendEmail: createSesDouble(EMAIL_SENDER, now),
      onEmail: (email) => void emails.push(email),
      onCall: (call) => void calls.set(JSON.stringify(call), call),
    }),
  );

  const stage = findStage(STAGE, {
    upstreamUrl: upstream.url,
    chatOrigins: receivers.chatOrigins,
    webhookDestinations: 'loopback-only',
    emailSender: EMAIL_SENDER,
    slackWebhookParameter: `/floorwatch/${STAGE}/slack-webhook`,
    operatorEmails: ['operators@floorwatch.example'],
    operatorAlerts: 'all',
    upstreamCallsPerSecond: 1000,
    upstreamBudgetPerDay: 1e9,
    upstreamBudgetPerMonth: 3e10,
    pollCadenceMinutes: 5,
  });
  const stack = readStack(synthesize(stage), emulator.endpoint);
  await createResources(emulator, stack, {
    [stage.upstreamKeyParameter]: UPSTREAM_KEY,
    [`/floorwatch/${STAGE}/slack-webhook`]: 'https://hooks.slack.com/services/T000/B000/local',
    [stage.channelKeyParameter]: CHANNEL_KEY,
    [stage.channelPublicKeyParameter]: publicHalfOf(CHANNEL_KEY),
    [stage.pushKeyParameter]: PUSH_KEY,
    [stage.pushPublicKeyParameter]: publicPushKeyOf(PUSH_KEY),
    [stage.linkKeyParameter]: 'the key of links',
  });

  const errors: string[] = [];
  const variables = {
    AWS_REGION: region,
    AWS_ENDPOINT_URL: recorder.url,
    AWS_ENDPOINT_URL_SESV2: recorder.url,
  };
  const functions = hostFunctions(stack, {
    ...{ variables, offset },
    log: (line) => {
      if (line.includes('"level":"error"')) errors.push(line);
    },
  });
  open.defer(functions.close);
  const { invoke } = functions;
  const receive = consumeQueues(stack, emulator.sqs, { functions, now, onFailure });
  /**
   * Waits for some work, and for all the work that it sends to queues. Time advances only while
   * every function is done or waits.
   */
  const settle = async (work: Promise<void>) => {
    const running = new Set([work]);
    for (;;) {
      const wasIdle = running.size === 0;
      const batches = await receive();
      if (wasIdle && batches.length === 0) return;
      for (const batch of batches) running.add(batch);
      const ended = [...running].map(async (one) => {
        await one;
        running.delete(one);
        return true;
      });
      if (await Promise.race([...ended, sleep(STILL, false)])) continue;
      const until = functions.asleepUntil();
      if (until !== undefined && until > now()) advanceTo(until);
    }
  };

  const [table] = stack.find('AWS::DynamoDB::Table', z.unknown());
  const [watched] = market.contracts();
  if (table === undefined || watched === undefined) throw new Error('nothing could be watched');
  const { key } = await createKey(
    {
      keys: createApiKeyStore(createDynamoTable(emulator.dynamodb, table.ref, tableRuntime)),
      now: now(),
      random: () => randomBytes(32),
      entryOf: () => undefined,
    },
    { tenant: TENANT, name: 'rights', scopes: ['admin', 'operate'], expiresAt: undefined },
  );
  const routes = await readRoutes();
  /** Sends a request such as `GET /v1/health`, and returns the body of the answer. */
  const ask = async (question: string, body?: unknown, options: AskOptions = {}) => {
    const { isRefused = false, ...given } = options;
    const headers = { 'x-api-key': key, 'content-type': 'application/json', ...given };
    const { route, event } = routed(routes, question, { body, headers });
    const authorizer = route.isPublic ? null : await authorize(headers);
    const requestContext = { ...event.requestContext, authorizer };
    const answer = HttpAnswer.parse(await invoke(route.folder, { ...event, requestContext }));
    const { statusCode } = answer;
    const isExpected = isRefused ? [400, 409].includes(statusCode) : statusCode < 400;
    if (!isExpected) {
      throw new Error(`${question}: ${statusCode} ${answer.body}; ${errors.join('; ')}`, {
        cause: failures,
      });
    }
    return answer;
  };
  const authorize = async (headers: Readonly<Record<string, string>>) => {
    const methodArn = `arn:aws:execute-api:${region}:${account}:api/${STAGE}/GET/v1`;
    const answer = await invoke('authorize-request', { type: 'REQUEST', methodArn, headers });
    return Authorized.parse(answer).context;
  };

  const queue = `arn:aws:sqs:${region}:${account}:theirs`;
  return {
    ...{ stack, calls, failures, sent, emails, emulator, market, upstream, now },
    ...{ ask, invoke, advanceTo, idle: functions.idle },
    contract: watched.contract,
    channels: demoChannels(receivers, WEBHOOK_SECRET, queue, true),
    bulk: createBulkTable(emulator.dynamodb, table.ref, tableRuntime),
    /** Advances minutes, each with its tick and all resulting work. */
    pass: async (minutes: number) => {
      for (let minute = 0; minute < minutes; minute += 1) {
        advanceTo(nextMinute(now()));
        const tick = async () => {
          for (const name of SCHEDULED) await invoke(name, {});
        };
        await settle(tick().catch(onFailure));
      }
    },
  };
}
