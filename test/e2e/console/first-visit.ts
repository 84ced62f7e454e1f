import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { stdout } from 'node:process';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { benchOptions } from '#test/support/bench-options.ts';
import { openBrowser, openPage } from './browser.ts';
import { openLivedStack } from './lived-stack.ts';

/**
 * `npm run bench:console` measures the first visit of the console on a slow phone: the browser has
 * a processor that is four times slower, and the "slow 4G" network of Lighthouse. A bare page that
 * requests the same bytes in the same order and draws nothing is measured on the same machine in
 * the same minute: the ratio shows what the console adds. The benchmark ends within two minutes:
 * with fewer visits on a busy machine, and with an error if not even one visit was possible.
 */
const values = benchOptions('bench:console', { visits: { type: 'string', default: '7' } });
const VISITS = Number(values.visits);

const GOALS = { kilobytes: 150, firstRow: 1000, yearOfPoints: 1000 };
const PHONE = { width: 360, height: 740 };
const SLOWER = 4;
const SLOW_4G = {
  offline: false,
  latency: 150,
  downloadThroughput: 204_800,
  uploadThroughput: 96_000,
};
const APES = 'eth:0x3df5befeaa137d8eaced6f3f24f068df11351857';
/** API Gateway compresses longer answers (`http-api.ts`), the local gateway compresses nothing. */
const COMPRESSED_FROM = 10 * 1024;
const POINTS = 500;
const DAY = 86_400_000;
/** Visits start before the first limit, and end before the second. */
const LAST_BEGIN = 85_000;
const LAST = 115_000;
/** The longest wait on a page, in milliseconds. */
const TIMEOUT = 15_000;

const opened = performance.now();
// The stack only answers requests, so the browser has the processor to itself.
await using stack = await openLivedStack(5, 60);
const { url, apiKey } = stack;
const front = createServer((asked, answer) => {
  pass(asked, answer).catch((error) => answer.destroy(error));
}).listen(0, '127.0.0.1');
await once(front, 'listening');
const address = front.address();
if (address === null || typeof address === 'string') throw new Error('no port is free');
const base = `http://127.0.0.1:${address.port}`;

const browser = await openBrowser();
AbortSignal.timeout(Math.round(LAST - performance.now() + opened)).onabort = () =>
  void browser.close();
try {
  const visits: Awaited<ReturnType<typeof visit>>[] = [];
  // This visit is not measured: the browser and the servers read and compile their code.
  await visit(browser);
  while (visits.length < VISITS && (visits.length === 0 || performance.now() - opened < LAST_BEGIN))
    visits.push(await visit(browser));
  const of = (what: keyof (typeof visits)[number]) => median(visits.map((one) => one[what]));
  const lines = [
    [`${visits.length} visits`, 'measured', 'goal', 'of the goal', 'a bare page', '× bare'],
    row('first load, kB', of('bytes') / 1000, GOALS.kilobytes),
    row('first row, ms', of('firstRow'), GOALS.firstRow, of('bare')),
    row('a year of points, ms', of('yearOfPoints'), GOALS.yearOfPoints),
  ];
  stdout.write(`${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`);
} finally {
  await browser.close();
  front.close();
  front.closeAllConnections();
}

/** The first visit of the console, and of the bare page. */
async function visit(by: Browser) {
  const { page, context, devtools } = await openSlowPage(by);
  let bytes = 0;
  devtools.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  const began = performance.now();
  await page.goto(`${base}/app#key=${apiKey}`, { waitUntil: 'commit' });
  await page.getByRole('link', { name: /Moonlit Cats/ }).waitFor();
  const firstRow = performance.now() - began;
  const transferred = bytes;
  const yearOfPoints = await showYear(page);
  await context.close();
  return { bytes: transferred, firstRow, yearOfPoints, bare: await visitBarePage(by) };
}

async function openSlowPage(by: Browser) {
  const { page, context } = await openPage(by, PHONE);
  page.setDefaultTimeout(TIMEOUT);
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', SLOW_4G);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  return { page, context, devtools };
}

/** Opens the chart, and then shows a year in which each point is recorded. */
async function showYear(page: Page): Promise<number> {
  await page.evaluate(
    (to) => {
      location.hash = to;
    },
    `#/collections/${encodeURIComponent(APES)}`,
  );
  const chart = page.getByRole('img', { name: /^Floor of/ });
  await chart.locator('canvas').first().waitFor();
  const began = performance.now();
  await Promise.all([
    page.waitForResponse(/prices/),
    page.getByRole('button', { name: '1y' }).click(),
  ]);
  // The chart draws new data within two frames.
  await chart.evaluate(
    () =>
      new Promise((resolve) =>
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(1))),
      ),
  );
  return performance.now() - began;
}

/** A page that requests the files of the console, and then the overview. */
async function visitBarePage(by: Browser): Promise<number> {
  const { page, context } = await openSlowPage(by);
  const began = performance.now();
  await page.goto(`${base}/bare#${apiKey}`, { waitUntil: 'commit' });
  await page.getByText('answered').waitFor();
  const took = performance.now() - began;
  await context.close();
  return took;
}

/** Passes a request on to the stack, and compresses the answer like API Gateway. */
async function pass(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
  if (asked.url === '/bare') {
    const page = (await read('/app')).toString();
    const files = [...page.matchAll(/(?:href|src)="(app\/[^"]+)"/g)].map(([, file]) => `/${file}`);
    answer.setHeader('content-type', 'text/html');
    answer.end(
      `<p id="p"></p><script type="module">await Promise.all(${JSON.stringify(files)}.map(async (file) => (await fetch(file)).text())); await (await fetch('/v1/overview', { headers: { 'X-API-Key': location.hash.slice(1) } })).json(); document.getElementById('p').textContent = 'answered';</script>`,
    );
    return;
  }
  const isOfYear = asksForYear(new URL(asked.url ?? '', url));
  const got = request(`${url}${asked.url}`, {
    ...{ method: asked.method, headers: asked.headers, agent: false },
  });
  asked.pipe(got);
  const [from] = await once(got, 'response');
  const body = isOfYear ? aYear() : await buffer(from);
  const isLong = body.length >= COMPRESSED_FROM;
  const { 'content-length': _length, ...headers } = from.headers;
  answer.writeHead(from.statusCode, {
    ...headers,
    ...(isLong ? { 'content-encoding': 'gzip' } : {}),
  });
  answer.end(isLong ? gzipSync(body) : body);
}

function asksForYear({ pathname, searchParams }: URL): boolean {
  const from = searchParams.get('from');
  return pathname.endsWith('/prices') && from !== null && Date.now() - Date.parse(from) > 300 * DAY;
}

async function read(path: string): Promise<Buffer> {
  return Buffer.from(
    await (await fetch(`${url}${path}`, { headers: { connection: 'close' } })).arrayBuffer(),
  );
}

/** A year of prices, thinned like in the API. */
function aYear(): Buffer {
  const now = Date.now();
  const points = Array.from({ length: POINTS }, (_, index) => ({
    time: new Date(now - (POINTS - index) * ((365 * DAY) / POINTS)).toISOString(),
    price: (12 + 4 * Math.sin(index / 9) + (index % 7) / 10).toFixed(4),
    currency: 'eth',
    usd: (36_000 + 12_000 * Math.sin(index / 9)).toFixed(2),
    ...{ source: 'simulated marketplace', tradedAt: null, outlier: false },
  }));
  const history = {
    contract: APES,
    series: 'floor',
    points,
    thinned: true,
    gaps: [],
    disputes: [],
  };
  return Buffer.from(JSON.stringify(history));
}

function row(what: string, measured: number, goal: number, bare?: number): readonly string[] {
  const ratio = (of: number) => (measured / of).toFixed(2);
  return [
    what,
    measured.toFixed(0),
    String(goal),
    ratio(goal),
    bare === undefined ? '' : bare.toFixed(0),
    bare === undefined ? '' : ratio(bare),
  ];
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
