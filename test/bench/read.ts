import { createServer } from 'node:http';
import express from 'express';
import { closeServer, listen } from '#infra/local/runtime/loopback.ts';
import { beginningWith, queryAll } from '#shared/stores/table.ts';
import { benchOptions } from '#test/support/bench-options.ts';
import { startWorld } from '#test/support/lived-stack.ts';

/**
 * Compares a read of a watchlist with a minimal implementation: an express route that makes the
 * same five reads of the same table in memory, and returns them as JSON, without gateway, key,
 * limits or checks. Requests alternate, on one connection each.
 */
const values = benchOptions('bench:read', { turns: { type: 'string', default: '500' } });
const TURNS = Number(values.turns);
const WARM_UP = 100;
const LIST = 'demo';

await using open = new AsyncDisposableStack();
const { url, table, key, ask, contract } = await startWorld(open);
await ask('POST /v1/watchlists', {
  ...{ id: LIST, name: 'Demo', contracts: [contract], channels: [] },
  rules: [{ id: 'low', metric: 'floor_price', when: 'below', threshold: '10' }],
});
const bare = await startBareServer();

const ours = (): Promise<Response> =>
  fetch(`${url}/v1/watchlists/${LIST}`, { headers: { 'X-API-Key': key } });
const theirs = (): Promise<Response> => fetch(`${bare.url}/v1/watchlists/${LIST}`);
const times = { ours: [] as number[], theirs: [] as number[] };
for (let turn = -WARM_UP; turn < TURNS; turn += 1) {
  const [one, another] = [await timed(ours), await timed(theirs)];
  if (turn < 0) continue;
  times.ours.push(one);
  times.theirs.push(another);
}
await bare.close();

const [p50, bareP50] = [median(times.ours), median(times.theirs)];
process.stdout.write(
  `${TURNS} reads of a watchlist, medians\n` +
    `  the local stack           ${p50.toFixed(2).padStart(7)} ms\n` +
    `  a bare express handler    ${bareP50.toFixed(2).padStart(7)} ms\n` +
    `  ratio                     ${(p50 / bareP50).toFixed(2).padStart(7)}\n`,
);

async function startBareServer() {
  const pk = 'TENANT#local';
  const { get } = table;
  const begins = (prefix: string, of = pk) => queryAll(table, of, beginningWith(prefix));
  const app = express();
  app.get('/v1/watchlists/:watchlist', async ({ params }, response) => {
    const list = await get({ pk, sk: `LIST#${params.watchlist}` });
    const [pendingChanges, cadence, mutes, channels] = await Promise.all([
      begins('contract#', `JOBS#local#${params.watchlist}`),
      get({ pk: 'UPSTREAM', sk: 'CADENCES' }),
      get({ pk, sk: `MUTES#${params.watchlist}` }),
      begins(`CHANNEL#${params.watchlist}#`),
    ]);
    response.json({ ...list, pendingChanges: pendingChanges.length, cadence, mutes, channels });
  });
  const server = createServer(app);
  return { url: await listen(server), close: () => closeServer(server) };
}

async function timed(ask: () => Promise<Response>): Promise<number> {
  const begun = performance.now();
  const answer = await ask();
  await answer.text();
  if (!answer.ok) throw new Error(`${answer.url} answered ${answer.status}`);
  return performance.now() - begun;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
