import type { APIGatewayProxyResult } from 'aws-lambda';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { createFunctions } from '#infra/local/world-functions.ts';
import { createHttpClient } from '#shared/clients/http-client.ts';
import { createUpstream } from '#shared/providers/create-upstream.ts';
import { now, sleepUntil } from '#shared/runtime/clock.ts';
import { benchOptions } from '#test/support/bench-options.ts';
import { anHttpRequest, someLimits } from '#test/support/builders.ts';
import { startHttpServer } from '#test/support/http-server.ts';
import {
  type NftDataFunction,
  startNftDataFunction,
  UPSTREAM_KEY,
} from '#test/support/nft-data-function.ts';
import { anOutside, variablesOf } from '#test/support/outside.ts';

/**
 * The time that our v2.2 interface adds to a response from the upstream. Each turn makes three
 * requests: a page of the upstream with a bare `fetch`, a page of our interface that is not cached,
 * and the same page again. The first series uses a table in memory and measures only the time of
 * our code. The second uses the handler with a fake DynamoDB on loopback, which adds five calls to
 * the table.
 */
const values = benchOptions('bench:proxy', { turns: { type: 'string', default: '300' } });
const TURNS = Number(values.turns);
/** The number of turns that are not measured: they compile the code and open the connections. */
const WARM_UP = 50;

const record = {
  ...{ token_address: '0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb', amount: '1' },
  ...{ owner_of: '0xc352b534e8b987e036a93539fd6897f53488e56a', contract_type: 'CRYPTOPUNKS' },
  metadata: JSON.stringify({ attributes: Array.from({ length: 8 }, () => ({ trait_type: 'x' })) }),
};
const tokens = Array.from({ length: 100 }, (_, id) => ({ ...record, token_id: `${id}` }));
const page = JSON.stringify({ page: '1', page_size: '100', cursor: '', result: tokens });

await using upstream = await startHttpServer((response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(page);
});
await using nftData = await startNftDataFunction(
  upstream.url,
  (name, value) => {
    // biome-ignore lint/style/noProcessEnv: the function reads its variables there
    process.env[name] = value;
  },
  { UPSTREAM_CALLS_PER_SECOND: '100000', NFT_DATA_UNITS_PER_MINUTE: '100000000' },
);

const body = JSON.stringify({ traits: { Type: 'Ape' } });
const addressOf = (turn: number) => `0x${turn.toString(16).padStart(40, '0')}`;

async function bare(turn: number): Promise<void> {
  const url = `${upstream.url}/api/v2.2/nft/${addressOf(turn)}/nfts-by-traits?chain=0x1`;
  const response = await fetch(url, { method: 'POST', body });
  if ((await response.text()) !== page)
    throw new Error('the upstream did not return the expected page');
}

type Request = NftDataFunction['request'];

async function through(request: Request, turn: number): Promise<void> {
  const answer = await request(ROUTE, { path: { address: addressOf(turn) }, body });
  if (answer.body !== page)
    throw new Error(`the interface did not return the expected page: ${answer.body}`);
}

const ROUTE = 'POST /api/v2.2/nft/{address}/nfts-by-traits';

/** The function over a table in memory. */
function inMemory(): Request {
  const table = createMemoryTable();
  const variables = variablesOf({
    limits: someLimits({ callsPerSecond: 100_000, budgetPerDay: 1e9, budgetPerMonth: 1e9 }),
    nftDataSources: { traits: 'upstream', floor: 'upstream', lowest: 'upstream' },
    nftDataUnitsPerMinute: 1e8,
    upstreamUrl: upstream.url,
  });
  const functions = createFunctions(() =>
    anOutside({
      ...{ variables, now, sleepUntil, bulkTable: () => table, httpClient: createHttpClient },
      secret: () => async () => UPSTREAM_KEY,
      upstream: createUpstream,
    }),
  );
  return async (route, given = {}) =>
    (await functions['serve-nft-data'](anHttpRequest(route, given))) as APIGatewayProxyResult;
}

const timed = async (work: () => Promise<void>): Promise<number> => {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
};

const write = process.stdout.write.bind(process.stdout);
// The handler logs each request.
process.stdout.write = () => true;
const runs: readonly (readonly [table: string, request: Request])[] = [
  ['a table in memory', inMemory()],
  ['the handler, over HTTP', nftData.request],
];
const report: string[] = [];
for (const [index, [table, request]] of runs.entries()) {
  const times = { bare: [] as number[], asked: [] as number[], atHand: [] as number[] };
  for (let turn = 1 - WARM_UP; turn <= TURNS; turn += 1) {
    const page = index * 1_000_000 + WARM_UP + turn;
    const direct = await timed(() => bare(page));
    const asked = await timed(() => through(request, page));
    const atHand = await timed(() => through(request, page));
    if (turn <= 0) continue;
    times.bare.push(direct);
    times.asked.push(asked);
    times.atHand.push(atHand);
  }
  const [direct, asked] = [median(times.bare), median(times.asked)];
  report.push(`${table}\n`, row('bare fetch of the upstream', direct));
  report.push(row('through our interface', asked), row('added by our interface', asked - direct));
  report.push(row('the same page from the cache', median(times.atHand)));
}
process.stdout.write = write;
write(`${TURNS} pages of ${Math.round(page.length / 1000)} kB, medians\n${report.join('')}`);

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

function row(what: string, milliseconds: number): string {
  return `  ${what.padEnd(30)}${milliseconds.toFixed(2).padStart(7)} ms\n`;
}
