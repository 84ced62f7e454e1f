import { copyFileSync, existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStore } from '#infra/local/keep.ts';
import { type MarketServer, startMarketServer } from '#infra/local/upstream/market-server.ts';
import { createSimulatedMarket } from '#infra/local/upstream/simulated-market.ts';
import { QUEUES } from '#infra/local/world-variables.ts';
import type { Notification } from '#shared/domain/alerting/notification.ts';
import { MINUTE } from '#shared/domain/market/instant.ts';
import { anHttpRequest, NOON } from '#test/support/builders.ts';
import { thirdOf } from '#test/support/extent.ts';
import { aSmallWorld, MARKET_KEY } from '#test/support/small-world.ts';

const END = NOON + 15 * MINUTE;
const source = createSimulatedMarket(1, NOON);
const [{ contract } = { contract: 'eth:0x0' as const }] = source.contracts();
const clock = { time: NOON };
let market: MarketServer;
beforeAll(async () => {
  market = await startMarketServer({ source, now: () => clock.time, apiKey: MARKET_KEY });
});
afterAll(async () => await market.close());

/** The median floor, which prices cross repeatedly. */
const threshold = (() => {
  const floors = [...source.floors(contract, NOON, END)].map(({ record }) => record.floor_price);
  const sorted = floors.toSorted((one, other) => Number(one) - Number(other));
  return sorted[Math.floor(sorted.length / 2)] ?? '';
})();

const LIST = {
  ...{ id: 'cats', name: 'Cats', contracts: [contract] },
  rules: [
    { id: 'low', metric: 'floor_price', when: 'below', threshold },
    { id: 'high', metric: 'floor_price', when: 'above', threshold },
    { id: 'sold', metric: 'lowest_price.1d', when: 'below', threshold },
  ],
  channels: [{ id: 'desk', kind: 'email', to: 'desk@example.com' }],
};

/** Calls that change something outside of the process. */
const WRITES = /^(table\.(put|delete|transact)|queue\.send|topics\.(publish|keep|remove))/;

/** Runs the world stored in this file to its end. `beforeWrite` is called before each write. */
async function live(file: string, delivered: Notification[], beforeWrite = () => {}) {
  const store = await openStore(file);
  clock.time = store.kept().time ?? NOON;
  const failures: unknown[] = [];
  const { world, passUntil } = aSmallWorld({
    ...{ upstreamUrl: market.url, clock, table: store.table, messages: store.messages },
    topics: store.topics,
    deliver: (notification) => delivered.push(notification),
    onFailure: (error) => failures.push(error),
    hook: async (port, work) => {
      if (WRITES.test(port)) beforeWrite();
      return await work();
    },
  });
  const passMinute = async () => {
    await passUntil(clock.time + MINUTE);
    store.keep({ time: clock.time });
  };
  // The client repeats its request while the interrupted one still counts as running.
  for (;;) {
    const answer = (await world.functions['serve-api'](
      anHttpRequest('POST /v1/watchlists', {
        ...{ body: LIST, headers: { 'Idempotency-Key': '"cats"' } },
      }),
    )) as APIGatewayProxyResult;
    if (answer.statusCode === 201) break;
    expect(answer).toMatchObject({ statusCode: 409 });
    await passMinute();
  }
  while (clock.time < END) await passMinute();
  store.close();

  expect(failures).toEqual([]);
  expect(QUEUES.flatMap(world.queues.deadLetters)).toEqual([]);
}

const aFile = () => join(mkdtempSync(join(tmpdir(), 'floorwatch-kill-')), 'kept.db');

/** A copy of a file as a kill at this moment would leave it. */
function copyOf(file: string): string {
  const copy = aFile();
  for (const part of ['', '-wal'].filter((name) => existsSync(file + name))) {
    copyFileSync(file + part, copy + part);
  }
  return copy;
}

const idsIn = (notification: Notification): readonly string[] =>
  notification.kind === 'alert'
    ? [notification.alert.id]
    : notification.alerts.map((alert) => alert.id);

it('a kill before any write loses no alert, and repeats only interrupted alerts', async () => {
  const [file, delivered] = [aFile(), [] as Notification[]];
  const kills: { readonly left: string; readonly before: readonly Notification[] }[] = [];
  await live(file, delivered, () => kills.push({ left: copyOf(file), before: [...delivered] }));
  const expected = delivered.flatMap(idsIn);

  for (const { left, before } of thirdOf(kills)) {
    const after: Notification[] = [];
    await live(left, after);

    const known = before.flatMap(idsIn);
    const added = after.flatMap(idsIn);
    const underWay = before.slice(-1).flatMap(idsIn);
    expect([...new Set([...known, ...added])].toSorted()).toEqual(expected.toSorted());
    expect(underWay).toEqual(expect.arrayContaining(added.filter((id) => known.includes(id))));
    expect(new Set(added).size).toBe(added.length);
  }
  expect(kills.length).toBeGreaterThan(100);
  expect(expected.length).toBeGreaterThan(2);
});
