import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { EMAIL_SENDER, startReceivers } from '#infra/local/receivers/start-receivers.ts';
import { createClock } from '#infra/local/runtime/clock.ts';
import { startEngines } from '#infra/local/runtime/engines.ts';
import { startRuntime } from '#infra/local/runtime/runtime.ts';
import { sessionKey } from '#infra/local/session-key.ts';
import { type LocalStage, projectRoot, synthesizeStack } from '#infra/local/synthesize.ts';
import { startMarketServer } from '#infra/local/upstream/market-server.ts';
import { createSimulatedMarket } from '#infra/local/upstream/simulated-market.ts';
import { publicHalfOf } from '#shared/clients/channel-key.ts';
import { nextMinute } from '#shared/domain/market/instant.ts';
import { CHANNEL_KEY } from './channel-keys.ts';

const START = Date.parse('2026-01-05T12:00Z');
const UPSTREAM_KEY = 'the-key-of-the-local-upstream';
const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
type AskHeaders = {
  readonly 'idempotency-key'?: string;
  readonly 'if-match'?: string;
  readonly 'x-api-key'?: string;
};

/**
 * Runs the synthesized template on this machine, with settings of its own; each function handles so
 * many events at once.
 */
export async function startWorld(
  open: AsyncDisposableStack,
  concurrency?: number,
  settings: Partial<LocalStage> = {},
) {
  const clock = createClock(START);
  const market = createSimulatedMarket(1, START);
  const upstream = await startMarketServer({
    source: market,
    now: clock.now,
    apiKey: UPSTREAM_KEY,
  });
  open.defer(upstream.close);
  const receivers = await startReceivers({
    ...{ webhookSecret: WEBHOOK_SECRET, webhookPort: 0, now: clock.now },
    ...{ deliver: () => {}, onRefusal: () => {} },
  });
  open.defer(receivers.close);
  const parameters = {
    upstreamKeyParameter: '/floorwatch/local/upstream-key',
    slackWebhookParameter: '/floorwatch/local/slack-webhook',
    channelKeyParameter: '/floorwatch/local/channel-key',
    channelPublicKeyParameter: '/floorwatch/local/channel-public-key',
    linkKeyParameter: '/floorwatch/local/link-key',
  };
  const engines = await startEngines({
    parameters: new Map([
      [parameters.upstreamKeyParameter, UPSTREAM_KEY],
      [parameters.slackWebhookParameter, 'https://hooks.slack.com/services/T000/B000/local'],
      [parameters.channelKeyParameter, CHANNEL_KEY],
      [parameters.channelPublicKeyParameter, publicHalfOf(CHANNEL_KEY)],
      [parameters.linkKeyParameter, 'the key of links'],
    ]),
    now: clock.now,
    sesUrl: receivers.sesUrl,
    onPublish: async () => {},
  });
  open.defer(engines.close);
  const failures: unknown[] = [];
  /** What functions logged of their errors. */
  const errors: string[] = [];

  const assembly = await mkdtemp(join(tmpdir(), 'floorwatch-lived-'));
  open.defer(async () => await rm(assembly, { recursive: true }));
  const template = await synthesizeStack(
    {
      ...parameters,
      emailSender: EMAIL_SENDER,
      chatOrigins: receivers.chatOrigins,
      webhookDestinations: 'loopback-only',
      upstreamUrl: upstream.url,
      operatorEmails: ['operators@floorwatch.example'],
      operatorAlerts: 'all',
      ...{ upstreamCallsPerSecond: 1000, upstreamBudgetPerDay: 1e9, upstreamBudgetPerMonth: 3e10 },
      pollCadenceMinutes: 5,
      ...settings,
    },
    assembly,
  );
  const { stack, gateway, tick, quiet, asleepUntil, wake, close } = await startRuntime({
    ...{ template, engines, clock, functionsFolder: join(projectRoot, 'functions') },
    log: (_function, line) => {
      if (line.includes('"level":"error"')) errors.push(line);
    },
    onFailure: (error) => failures.push(error),
    concurrency,
  });
  open.defer(close);

  const [table] = stack.find('AWS::DynamoDB::Table', z.unknown());
  const [watched] = market.contracts();
  if (table === undefined || watched === undefined) throw new Error('nothing could be watched');
  const keyOf = (tenant: string) =>
    sessionKey(createDynamoTable(engines.dynamodb, table.ref, tableRuntime), tenant, clock.now());
  const key = await keyOf('local');
  /** Asks as `GET /v1/health`, and gives the answer's body. */
  const ask = async (question: string, body?: unknown, headers: AskHeaders = {}) => {
    const [method = '', path = ''] = question.split(' ');
    const request = async () =>
      await fetch(`${gateway.url}${path}`, {
        method,
        headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    let response = await request();
    // As a client does that has a key for it: a busy machine may be too slow once.
    if (response.status >= 500 && headers['idempotency-key']) response = await request();
    const text = await response.text();
    if (!response.ok) {
      throw new Error(`${question}: ${response.status} ${text}; ${errors.join('; ')}`, {
        cause: failures,
      });
    }
    return text === '' ? undefined : JSON.parse(text);
  };

  return {
    ...{ clock, market, upstream, ask, keyOf },
    contract: watched.contract,
    /** Lets minutes pass, each with its tick and all that comes of it. */
    pass: async (minutes: number) => {
      for (let minute = 0; minute < minutes; minute += 1) {
        const instant = nextMinute(clock.now());
        clock.advanceTo(instant);
        tick(instant);
        await quiet(AbortSignal.timeout(60_000));
        for (let until = asleepUntil(); until !== undefined; until = asleepUntil()) {
          clock.advanceTo(until);
          wake();
          await quiet(AbortSignal.timeout(60_000));
        }
      }
    },
  };
}
