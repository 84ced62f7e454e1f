import { createLocalTopics } from '#infra/local/local-topics.ts';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { EMAIL_SENDER, startReceivers } from '#infra/local/receivers/start-receivers.ts';
import { createClock } from '#infra/local/runtime/clock.ts';
import { startGateway } from '#infra/local/runtime/gateway.ts';
import { sessionKey } from '#infra/local/session-key.ts';
import { startMarketServer } from '#infra/local/upstream/market-server.ts';
import { createSimulatedMarket } from '#infra/local/upstream/simulated-market.ts';
import { createWorld } from '#infra/local/world.ts';
import { worldApi } from '#infra/local/world-api.ts';
import { findStage, type Settings } from '#infra/stack/stages.ts';
import { publicHalfOf } from '#shared/clients/channel-key.ts';
import { publicPushKeyOf } from '#shared/clients/push-key.ts';
import { nextMinute } from '#shared/domain/market/instant.ts';
import { PUSH_KEY } from '#test/support/push-key.ts';
import { CHANNEL_KEY } from './channel-keys.ts';

const START = Date.parse('2026-01-05T12:00Z');
const UPSTREAM_KEY = 'the-key-of-the-local-upstream';
const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
type AskHeaders = {
  readonly 'idempotency-key'?: string;
  readonly 'if-match'?: string;
  readonly 'x-api-key'?: string;
};

/** Runs the whole stack behind a gateway; `settings` replaces settings of its stage. */
export async function startWorld(open: AsyncDisposableStack, settings: Settings = {}) {
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
  const stage = findStage('dev', {
    emailSender: EMAIL_SENDER,
    chatOrigins: receivers.chatOrigins,
    webhookDestinations: 'loopback-only',
    upstreamUrl: upstream.url,
    operatorAlerts: 'all',
    ...{ upstreamCallsPerSecond: 1000, upstreamBudgetPerDay: 1e9, upstreamBudgetPerMonth: 3e10 },
    pollCadenceMinutes: 5,
    ...settings,
  });
  const failures: unknown[] = [];
  /** Errors in the logs of functions. */
  const errors: string[] = [];
  const table = createMemoryTable();
  const world = createWorld({
    ...{ stage, table, now: clock.now, wallClock: Date.now, clockRuns: true },
    filesOf: () => ({}),
    publicUrl: () => `${gateway.url}/v1/`,
    topics: createLocalTopics(async () => {}),
    sendEmail: async () => ({ kind: 'accepted' }),
    parameters: new Map([
      [stage.upstreamKeyParameter, UPSTREAM_KEY],
      [stage.channelKeyParameter, CHANNEL_KEY],
      [stage.channelPublicKeyParameter, publicHalfOf(CHANNEL_KEY)],
      [stage.pushKeyParameter, PUSH_KEY],
      [stage.pushPublicKeyParameter, publicPushKeyOf(PUSH_KEY)],
      [stage.linkKeyParameter, 'the key of links'],
    ]),
    print: (_function, line) => {
      if (line.includes('"level":"error"')) errors.push(line);
    },
    onFailure: (error) => failures.push(error),
  });
  const gateway = await startGateway({
    ...{ api: worldApi(world.functions, false), now: clock.now, pages: {} },
    onFailure: (error) => failures.push(error),
  });
  open.defer(gateway.close);

  const [watched] = market.contracts();
  if (watched === undefined) throw new Error('nothing could be watched');
  const keyOf = (tenant: string) => sessionKey(table, tenant, clock.now());
  const key = await keyOf('local');
  /** Sends a request such as `GET /v1/health`, and returns the parsed body of the answer. */
  const ask = async (question: string, body?: unknown, headers: AskHeaders = {}) => {
    const [method = '', path = ''] = question.split(' ');
    const response = await fetch(`${gateway.url}${path}`, {
      method,
      headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) {
      throw new Error(`${question}: ${response.status} ${text}; ${errors.join('; ')}`, {
        cause: failures,
      });
    }
    return text === '' ? undefined : JSON.parse(text);
  };

  return {
    ...{ clock, market, upstream, ask, keyOf, key, table, url: gateway.url },
    contract: watched.contract,
    /** Advances the time by minutes, and runs each minute's tick and the resulting work. */
    pass: async (minutes: number) => {
      for (let minute = 0; minute < minutes; minute += 1) {
        const instant = nextMinute(clock.now());
        clock.advanceTo(instant);
        world.wake();
        world.tick();
        await world.quiet(AbortSignal.timeout(60_000));
        for (;;) {
          const until = world.asleepUntil();
          if (until === undefined || until >= nextMinute(instant)) break;
          clock.advanceTo(until);
          world.wake();
          await world.quiet(AbortSignal.timeout(60_000));
        }
      }
    },
  };
}
