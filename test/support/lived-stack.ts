import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ListTopicsCommand } from '@aws-sdk/client-sns';
import { CreateQueueCommand } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { demoChannels } from '#infra/local/receivers/demo-channels.ts';
import { EMAIL_SENDER, startReceivers } from '#infra/local/receivers/start-receivers.ts';
import { createClock } from '#infra/local/runtime/clock.ts';
import { startEngines } from '#infra/local/runtime/engines.ts';
import { startRuntime } from '#infra/local/runtime/runtime.ts';
import { account, region, type Stack } from '#infra/local/runtime/template.ts';
import { sessionKey } from '#infra/local/session-key.ts';
import { type LocalStage, projectRoot, synthesizeStack } from '#infra/local/synthesize.ts';
import { startMarketServer } from '#infra/local/upstream/market-server.ts';
import { createSimulatedMarket } from '#infra/local/upstream/simulated-market.ts';
import { publicHalfOf } from '#shared/clients/channel-key.ts';
import { createTradeReader, isPaidInEth, tokenIn } from '#shared/domain/archive/import-line.ts';
import { DAY, formatInstant, MINUTE, nextMinute } from '#shared/domain/market/instant.ts';
import { tableRuntime } from '#shared/runtime/table-runtime.ts';
import { createBulkTable } from '#shared/stores/dynamo-bulk-table.ts';
import { createTokenArchive } from '#shared/stores/token-store.ts';
import { createTradeArchive } from '#shared/stores/trade-store.ts';
import { type AwsCall, listenToCalls } from './aws-calls.ts';
import { CHANNEL_KEY } from './channel-keys.ts';

const START = Date.parse('2026-01-05T12:00Z');
const UPSTREAM_KEY = 'the-key-of-the-local-upstream';
const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const MOVES = { metric: 'floor_change_pct.24h', when: 'below', threshold: '-50' };
const ANY_PRICE = { metric: 'floor_price', when: 'above', threshold: '0.000001' };
const RULES = [
  { id: 'any', ...ANY_PRICE },
  { id: 'held', ...ANY_PRICE },
  { id: 'kept', ...ANY_PRICE },
  { id: 'moves', ...MOVES },
  { id: 'ends', ...MOVES, expiresAt: formatInstant(START + 3 * MINUTE) },
];

export type Life = {
  readonly stack: Stack;
  /** What its functions have asked of AWS, each once. */
  readonly calls: readonly AwsCall[];
  /** What functions threw. */
  readonly failures: readonly unknown[];
};

/**
 * Runs the synthesized template on this machine and leads it through all that a stack lives through:
 * prices that cross lines, channels of every kind, an upstream that is gone, and what people set up,
 * read, try and take away.
 */
export async function live(): Promise<Life> {
  await using open = new AsyncDisposableStack();
  const world = await startWorld(open);
  await setUp(world);
  await world.pass(5);
  await readAndTry(world);
  await lookAtChart(world);
  await pressLinks(world);
  await readEmails(world);
  await askForNftData(world);
  await takeAway(world);
  await world.pass(6);
  const { stack, calls, failures } = world;
  return { stack, calls: [...calls.values()], failures };
}

type World = Awaited<ReturnType<typeof startWorld>>;
type AskOptions = {
  readonly isRefused?: boolean;
  readonly 'idempotency-key'?: string;
  readonly 'if-match'?: string;
  readonly 'x-api-key'?: string;
};

async function setUp({ ask, demo, engines }: World): Promise<void> {
  await engines.sqs.send(new CreateQueueCommand({ QueueName: 'theirs' }));
  await ask('POST /v1/watchlists', demo, { 'idempotency-key': '"demo"' });
  // Refused after its key was taken: there is such a list.
  await ask('POST /v1/watchlists', demo, { 'idempotency-key': '"again"', isRefused: true });
  // Its wallet is read again when a day has passed.
  await ask('POST /v1/watchlists', { id: 'held', name: 'Held', wallet: `0x${'d8'.repeat(20)}` });
  await ask('POST /v1/watchlists/demo/mutes', { rule: 'held', for: '2m' });
  await ask('POST /v1/watchlists/demo/mutes', { rule: 'kept', for: '1d' });
}

async function readAndTry({ ask, contract, engines }: World): Promise<void> {
  const list = '/v1/watchlists/demo';
  const { alerts } = await ask(`GET ${list}/alerts?kind=fired`);
  const { watches } = await ask(`GET ${list}/watches`);
  const alert = `${list}/alerts/${alerts[0].at}~${alerts[0].id}`;
  const watch = `${list}/watches/${watches[0].contract}/${watches[0].rule}`;
  for (const path of [
    ...['', '/export', '/contracts', '/rules', '/channels', '/channels/desk', '/mutes'].map(
      (part) => `${list}${part}`,
    ),
    ...['/v1/overview', '/v1/watches', '/v1/episodes'],
    ...['/v1/alerts', '/v1/changes', '/v1/contracts', `/v1/contracts/${contract}`, '/v1/health'],
    ...[`/v1/contracts/${contract}/prices`, alert, watch, `${watch}/explain`],
  ]) {
    await ask(`GET ${path}`);
  }
  await ask('GET /v1/operations');
  const made = await ask('POST /v1/keys', { name: 'a script', scopes: ['read'] });
  await ask(`POST /v1/keys/${made.id}/rotate`, {});
  await ask(`DELETE /v1/keys/${made.id}`);
  await ask(`POST ${list}/channels/closed/test`, {}, { 'idempotency-key': '"test"' });
  await ask(`POST ${alert}/acknowledge`, {});
  const { mutes } = await ask(`GET ${list}/mutes`);
  const { id: mute } = mutes.find(({ rule }: { rule: string }) => rule === 'kept');
  await ask(`DELETE ${list}/mutes/${mute}`, undefined, ANY);
  await ask('POST /v1/rules/preview', { rule: MOVES, contracts: [contract], days: 2 });

  const { Topics = [] } = await engines.sns.send(new ListTopicsCommand({}));
  const topic = Topics.find(({ TopicArn = '' }) => TopicArn.includes(':floorwatch-local-'));
  const link = `https://sns.${region}.amazonaws.com/confirmation.html?Token=none&TopicArn=${topic?.TopicArn}`;
  await ask(`POST ${list}/channels/desk/confirm`, { link }, ONCE_REFUSED);
}

/** By the address in the message of a chat. */
async function lookAtChart({ sent }: World): Promise<void> {
  const [, address = ''] =
    /"(https?:[^"\\]+\/v1\/charts\/[^"\\]+)"/.exec(JSON.stringify(sent)) ?? [];
  const response = await fetch(address);
  const type = response.headers.get('content-type');
  if (type !== 'image/png') throw new Error(`${address} is no picture: ${await response.text()}`);
}

/** Of all messages, those whose episode is open: each is opened, then acknowledged, snoozed and resumed. */
async function pressLinks({ sent }: World): Promise<void> {
  const found = JSON.stringify(sent).matchAll(/"(https?:[^"?]+\/v1\/actions\/[\w.-]+)\?/g);
  const addresses = [...new Set([...found].map(([, address = '']) => address))];
  let acted = 0;
  for (const address of addresses) {
    const opened = await fetch(address);
    if (!(await opened.text()).includes('<form')) continue;
    for (const action of ['acknowledge', 'snooze-1h', 'resume']) {
      const body = new URLSearchParams({ name: 'Ada' });
      const { status } = await fetch(`${address}?do=${action}`, { method: 'POST', body });
      if (status !== 200) throw new Error(`${address} answers ${action} with ${status}`);
    }
    acted += 1;
  }
  if (acted === 0) throw new Error(`none of ${addresses.length} links acts on an open episode`);
}

/** One comes back; then its reader unsubscribes. */
async function readEmails({ sent, invoke }: World): Promise<void> {
  const { to, unsubscribe } = Emails.parse(sent).find((one) => one.unsubscribe !== undefined) ?? {};
  const channel = Buffer.from('local#demo#desk').toString('base64url');
  await invoke('note-bounces', {
    detail: {
      ...{ eventType: 'Bounce', bounce: { bounceType: 'Permanent', bounceSubType: 'NoEmail' } },
      mail: { destination: [to], tags: { channel: [channel] } },
    },
  });
  const destination = { stringValue: 'local#demo#desk', dataType: 'String' };
  await invoke('note-bounces', {
    Records: [{ messageId: 'undelivered', body: '{}', messageAttributes: { destination } }],
  });
  const { status } = await fetch(String(unsubscribe), { method: 'POST' });
  if (status !== 200) throw new Error(`${unsubscribe} ends nothing: ${status}`);
}

const Emails = z.array(
  z.object({ to: z.string(), unsubscribe: z.string().optional().catch(undefined) }),
);

/** From the upstream and, once that is gone, from our own archive. */
async function askForNftData({ ask, market, contract, clock, upstream, bulk }: World) {
  const [chain, address] = contract.split(':');
  const interface22 = `/api/v2.2/nft/${address}`;
  const tokens = market.tokens(contract).slice(0, 20).map(tokenIn);
  await createTokenArchive(bulk).putTokens(tokens, 'a file');
  const trades = [...market.trades(contract, clock.now() - DAY, clock.now())];
  const sales = trades.map(({ record }) => record).filter(isPaidInEth);
  await createTradeArchive(bulk).putTrades(sales.slice(0, 9).map(createTradeReader()));

  await ask(`POST ${interface22}/nfts-by-traits?chain=${chain}`, { traits: { none: 'such' } });
  await upstream.close();
  await ask(`POST ${interface22}/nfts-by-traits?chain=${chain}`, {
    traits: { Eyes: 'Open', Body: 'Plain' },
  });
  await ask(`GET ${interface22}/floor-price/historical?chain=${chain}&interval=7d`);
  await ask(`GET ${interface22}/lowestprice?chain=${chain}&days=7`);
}

async function takeAway({ ask, pass, demo, clock }: World): Promise<void> {
  const [desk] = demo.channels;
  const [, ...rules] = demo.rules;
  const less = { ...demo, rules, channels: [desk, { ...desk, id: 'second' }] };
  await ask('PUT /v1/watchlists/demo?dryRun=true', less, ANY);
  await ask('PUT /v1/watchlists/demo', less, ANY);
  await pass(2);
  await ask('DELETE /v1/watchlists/demo', undefined, ANY);
  await pass(1);
  // Its channels stay a day, for what its watches had still to say.
  clock.advanceTo(clock.now() + DAY);
}

const ANY = { 'if-match': '*' };
const ONCE_REFUSED = { 'idempotency-key': '"confirm"', isRefused: true };

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
  const sent: unknown[] = [];
  const receivers = await startReceivers({
    ...{ webhookSecret: WEBHOOK_SECRET, webhookPort: 0, now: clock.now },
    ...{ deliver: (message: unknown) => sent.push(message), onRefusal: () => {} },
  });
  open.defer(receivers.close);
  const parameters = {
    upstreamKeyParameter: '/floorwatch/local/upstream-key',
    slackWebhookParameter: '/floorwatch/local/slack-webhook',
    channelKeyParameter: '/floorwatch/local/channel-key',
    channelPublicKeyParameter: '/floorwatch/local/channel-public-key',
    linkKeyParameter: '/floorwatch/local/link-key',
  };
  const started = await startEngines({
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
  open.defer(started.close);
  const calls = new Map<string, AwsCall>();
  const failures: unknown[] = [];
  /** What functions logged of their errors. */
  const errors: string[] = [];
  const { engines, close } = await listenToCalls(
    started,
    (call) => calls.set(JSON.stringify(call), call),
    (error) => failures.push(error),
  );
  open.defer(close);

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
  const { stack, gateway, tick, quiet, asleepUntil, wake, ...runtime } = await startRuntime({
    ...{ template, engines, clock, functionsFolder: join(projectRoot, 'functions') },
    log: (_function, line) => {
      if (line.includes('"level":"error"')) errors.push(line);
    },
    onFailure: (error) => failures.push(error),
    concurrency,
  });
  open.defer(runtime.close);

  const [table] = stack.find('AWS::DynamoDB::Table', z.unknown());
  const [watched] = market.contracts();
  if (table === undefined || watched === undefined) throw new Error('nothing could be watched');
  const keyOf = (tenant: string) => sessionKey(engines.dynamodb, table.ref, tenant, clock.now());
  const key = await keyOf('local');
  /** Asks as `GET /v1/health`, and gives the answer's body. */
  const ask = async (question: string, body?: unknown, options: AskOptions = {}) => {
    const { isRefused = false, ...headers } = options;
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
    const isExpected = isRefused ? [400, 409].includes(response.status) : response.ok;
    if (!isExpected) {
      throw new Error(`${question}: ${response.status} ${text}; ${errors.join('; ')}`, {
        cause: failures,
      });
    }
    return text === '' ? undefined : JSON.parse(text);
  };
  const queue = `arn:aws:sqs:${region}:${account}:theirs`;
  const channels = demoChannels(receivers, WEBHOOK_SECRET, queue, true);

  return {
    ...{ stack, calls, failures, sent, engines, clock, market, upstream, ask, keyOf },
    contract: watched.contract,
    demo: {
      ...{ id: 'demo', name: 'Demo', contracts: [watched.contract], rules: RULES, channels },
      report: { every: 'day', at: '12:04' },
    },
    bulk: createBulkTable(engines.dynamodb, table.ref, tableRuntime),
    invoke: async (folder: string, event: unknown) =>
      await runtime.functions.get(folder)?.invoke(event),
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
