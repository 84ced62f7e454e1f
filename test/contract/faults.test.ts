import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadReplayedMarket } from '#infra/local/upstream/replayed-market.ts';
import { createSignedWebhooks } from '#shared/channels/webhook/post.ts';
import { createHttpClient } from '#shared/clients/http-client.ts';
import { contractOf } from '#shared/domain/market/contract.ts';
import { formatInstant, HOUR } from '#shared/domain/market/instant.ts';
import { newestOf } from '#shared/domain/polling/contract-record.ts';
import { createNftData } from '#shared/providers/nft-data/nft-data.ts';
import { anAlert, eth, NOON } from '#test/support/builders.ts';
import { type Fault, startFaultProxy } from '#test/support/fault-proxy.ts';
import { startHttpServer } from '#test/support/http-server.ts';
import { aFloorLine, PUNKS, writeMarketFiles } from '#test/support/market-files.ts';
import { pollOnce } from '#test/support/poll-once.ts';
import { startUpstreamServer } from '#test/support/upstream/upstream-server.ts';
import { createWorld } from '#test/support/world.ts';

const { signal } = new AbortController();
const limits = { deadlineMs: 10_000, maxBodyBytes: 100_000, maxConnections: 5 };
/** Limits for tests of the deadline: long enough for a response on a very slow machine. */
const impatient = { ...limits, deadlineMs: 2000 };
/** Limits for tests in which the response time does not matter. */
const hasty = { ...limits, deadlineMs: 400 };

type Ending = 'network' | 'timeout';

const FAULTS: readonly (readonly [name: string, fault: Fault, endsIn: Ending])[] = [
  ['is reset at once', { kind: 'reset', at: 0 }, 'network'],
  ['is reset in its head', { kind: 'reset', at: 20 }, 'network'],
  ['is reset in its body', { kind: 'reset', at: 300 }, 'network'],
  ['never arrives', { kind: 'silence', at: 0 }, 'timeout'],
  ['stalls in its head', { kind: 'silence', at: 20 }, 'timeout'],
  ['stalls in its body', { kind: 'silence', at: 300 }, 'timeout'],
  ['is cut in its head', { kind: 'truncate', at: 20 }, 'network'],
  ['is cut in its body', { kind: 'truncate', at: 300 }, 'network'],
  ['is not HTTP', { kind: 'corrupt', at: 0, bits: 0xff }, 'network'],
  ['arrives in small pieces for longer than the deadline', { kind: 'drip', bytes: 1 }, 'timeout'],
];

/** The real client, connected through the fault proxy to an upstream with one recorded floor. */
async function world(ofClient = limits) {
  await using files = await writeMarketFiles({
    'floors.jsonl': [aFloorLine(formatInstant(NOON - HOUR), '31.45')],
    'trades.jsonl': [],
    'tokens.jsonl': [],
  });
  const source = await loadReplayedMarket(files.directory);
  const server = await startUpstreamServer({ source, now: () => NOON });
  const proxy = await startFaultProxy(server.url);
  const upstream = createNftData({
    http: createHttpClient(ofClient),
    baseUrl: proxy.url,
    apiKey: async () => 'key',
    now: () => NOON,
  });
  return {
    proxy,
    server,
    upstream,
    floors: () => upstream.floorHistory(contractOf(PUNKS), { interval: '1d' }, signal),
    [Symbol.asyncDispose]: async () => {
      await proxy[Symbol.asyncDispose]();
      await server.close();
    },
  };
}

const someFloors = { kind: 'ok', value: { points: [{ price: eth('31.45') }] } };

describe('an upstream response', () => {
  it.each(FAULTS)(
    'an upstream response that %s is a failure, and the next response is accepted',
    async (_, fault, endsIn) => {
      await using faulty = await world(endsIn === 'timeout' ? impatient : limits);
      faulty.proxy.strike(fault);

      const failed = await faulty.floors();
      faulty.proxy.strike({ kind: 'none' });
      const next = await faulty.floors();

      expect(failed).toEqual({ kind: 'failed', reason: endsIn });
      expect(next).toMatchObject(someFloors);
    },
  );

  it('an upstream response whose last byte breaks the JSON is a failure', async () => {
    await using faulty = await world();
    await faulty.floors();
    const end = '}\r\n0\r\n\r\n';
    const at = faulty.proxy.lengthOfAnswer() - end.length;
    faulty.proxy.strike({ kind: 'corrupt', at, bits: 0x80 });

    expect(await faulty.floors()).toEqual({ kind: 'failed', reason: 'garbage' });
  });

  it('an upstream response that arrives in small pieces within the deadline is accepted', async () => {
    await using faulty = await world();
    faulty.proxy.strike({ kind: 'drip', bytes: 100 });

    expect(await faulty.floors()).toMatchObject(someFloors);
  });

  it('a call on a connection that delivers no more data ends at the deadline', async () => {
    await using faulty = await world(impatient);
    const before = await faulty.floors();
    faulty.proxy.strike({ kind: 'silence', at: 0 });
    const silent = await faulty.floors();
    faulty.proxy.strike({ kind: 'none' });
    const after = await faulty.floors();

    expect([before.kind, after.kind]).toEqual(['ok', 'ok']);
    expect(silent).toEqual({ kind: 'failed', reason: 'timeout' });
    expect(faulty.proxy.connections()).toBe(2);
  });

  it('an upstream response that is cut off at any byte is a failure', async () => {
    await using faulty = await world();
    await faulty.floors();
    const cut = fc.record({
      kind: fc.constantFrom('reset', 'truncate'),
      at: fc.integer({ min: 1, max: faulty.proxy.lengthOfAnswer() - 1 }),
    });

    await fc.assert(
      fc.asyncProperty(cut, async (fault) => {
        faulty.proxy.strike(fault);

        expect(await faulty.floors()).toEqual({ kind: 'failed', reason: 'network' });
      }),
    );
  });

  it('an upstream response with any flipped bits has a documented outcome', async () => {
    await using faulty = await world(hasty);
    const corrupt = fc.record({
      kind: fc.constant('corrupt'),
      at: fc.nat(420),
      bits: fc.integer({ min: 1, max: 255 }),
    });

    await fc.assert(
      fc.asyncProperty(corrupt, async (fault) => {
        faulty.proxy.strike(fault);
        const { kind } = await faulty.floors();

        expect([
          'ok',
          'empty',
          'failed',
          'not_ready',
          'not_found',
          'denied',
          'throttled',
          'unsupported',
        ]).toContain(kind);
      }),
      { numRuns: 50 },
    );
  });

  it('failed calls to the upstream leave no open connections and no timers', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout');
    const before = timers();
    const faulty = await world(hasty);

    for (const [, fault] of FAULTS) {
      faulty.proxy.strike(fault);
      await Promise.all([faulty.floors(), faulty.floors(), faulty.floors()]);
    }
    faulty.proxy.strike({ kind: 'reset', at: 0 });
    await faulty.floors();
    await faulty.proxy.left();
    await faulty[Symbol.asyncDispose]();

    expect(timers().length).toBeLessThanOrEqual(before.length);
  });
});

describe('a poll with a faulty response', () => {
  it.each(FAULTS)(
    'a poll whose response %s keeps the last value, and reports the failure',
    async (_, fault) => {
      await using faulty = await world(impatient);
      const stack = createWorld({ start: NOON });
      await stack.putList({
        id: 'mine',
        name: 'Mine',
        contracts: [PUNKS],
        rules: [{ id: 'low', metric: 'floor_price', when: 'below', threshold: '30' }],
      });
      await stack.drain();
      const poll = async () => {
        stack.pass(HOUR);
        await pollOnce(stack, { pollPorts: { upstream: faulty.upstream } });
        return await stack.stores.contracts.get(PUNKS);
      };
      const good = await poll();
      faulty.proxy.strike(fault);

      const bad = await poll();

      expect(good && newestOf(good, 'floor')).toMatchObject({ price: eth('31.45') });
      expect(bad && newestOf(bad, 'floor')).toEqual(good && newestOf(good, 'floor'));
      expect(bad?.series.floor?.outcome).toMatch(/^failed/);
      expect(stack.published).toEqual([]);
    },
  );
});

describe('a faulty webhook response', () => {
  const notification = { kind: 'alert', alert: anAlert() } as const;

  it.each(FAULTS.filter(([, fault]) => !('at' in fault) || fault.at < 100))(
    'a webhook response that %s fails the attempt, and the HTTP client does not retry it',
    async (_, fault) => {
      // The response is so long that sending it in small pieces exceeds the deadline.
      const head = { 'x-padding': 'x'.repeat(500) };
      await using receiver = await startHttpServer((response) =>
        response.writeHead(204, head).end(),
      );
      await using proxy = await startFaultProxy(receiver.url);
      const http = createHttpClient(
        { ...impatient, maxBodyBytes: 'unread' },
        { destinations: 'loopback-only' },
      );
      const webhooks = createSignedWebhooks(
        { alerts: http, challenges: http },
        { now: () => NOON, wallClock: () => NOON, newChallenge: () => 'a-challenge' },
      );
      const post = () => webhooks.post(`${proxy.url}/hook`, ['whsec_AAAA'], notification, signal);
      const first = await post();
      proxy.strike(fault);

      const failed = await post();
      await proxy.left();

      expect(first).toEqual({ kind: 'sent' });
      expect(failed).toEqual({
        kind: 'failed',
        reason: expect.stringMatching(/^the host could not be reached|^the request timed out/),
      });
      expect(receiver.requests).toHaveLength(2);
    },
  );
});
