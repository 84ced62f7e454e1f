import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSimulatedMarket } from '#infra/local/upstream/simulated-market.ts';
import type { Finding } from '#infra/operate/probe/finding.ts';
import { contractOf } from '#shared/domain/market/contract.ts';
import { HOUR, SECOND } from '#shared/domain/market/instant.ts';
import { omit } from '#shared/domain/omit.ts';
import { ALCHEMY_KEY, startAlchemy } from '#test/support/alchemy/alchemy-double.ts';
import { eth } from '#test/support/builders.ts';
import { DEMO_KEY, startCoinGecko } from '#test/support/coingecko/coingecko-double.ts';
import {
  HEAD,
  type NodeLimits,
  startEthereumNode,
} from '#test/support/ethereum-node/ethereum-node-double.ts';
import {
  BUYER,
  ether,
  orderFulfilled,
  SELLER,
  to,
  token,
  transfer,
} from '#test/support/ethereum-node/event-logs.ts';
import { INSTANT_KEY, startOpenSea } from '#test/support/opensea/opensea-double.ts';
import { operate } from '#test/support/operate.ts';
import { type Rewritten, startRewritingProxy } from '#test/support/rewriting-proxy.ts';
import { startUpstreamServer } from '#test/support/upstream/upstream-server.ts';

const UPSTREAM_KEY = 'key-of-the-service';
/** A provider at a closed port. */
const SILENT = { COINGECKO_URL: 'http://127.0.0.1:9', COINGECKO_API_KEY: DEMO_KEY };

/**
 * A fake of each provider, with one collection of a simulated market, and the variables to use
 * these fakes.
 */
async function fakes(node: Partial<NodeLimits> = {}) {
  const now = Date.now();
  const source = createSimulatedMarket(1, now);
  const [{ contract } = { contract: '' as never }] = source.contracts();
  const address = contractOf(contract).address;
  const sale = (tokenId: bigint) => [
    transfer(address, SELLER, BUYER, tokenId),
    orderFulfilled({
      offerer: SELLER,
      recipient: BUYER,
      offer: [token(address, tokenId)],
      consideration: [to(SELLER, ether(eth('9.5')))],
    }),
  ];
  const blocks = [
    { block: HEAD - 300, logs: sale(7n) },
    { block: HEAD - 400, logs: sale(8n) },
  ];
  const servers = {
    openSea: await startOpenSea({ source, now: Date.now }),
    coinGecko: await startCoinGecko(() => '9.55'),
    alchemy: await startAlchemy(() => ({
      ...{ floorPrice: '9.5', priceCurrency: 'ETH', collectionUrl: '' },
      retrievedAt: new Date().toISOString(),
    })),
    node: await startEthereumNode(blocks, { headTime: Math.floor(now / SECOND) * SECOND, ...node }),
  };
  const service = await startUpstreamServer({ source, now: Date.now, apiKey: UPSTREAM_KEY });
  onTestFinished(async () => {
    await service.close();
    for (const server of Object.values(servers)) await server[Symbol.asyncDispose]();
  });
  const env = {
    ...{ UPSTREAM_URL: service.url, UPSTREAM_KEY },
    ...{ OPENSEA_URL: servers.openSea.url, OPENSEA_API_KEY: INSTANT_KEY },
    ...{ COINGECKO_URL: servers.coinGecko.url, COINGECKO_API_KEY: DEMO_KEY },
    ...{ ALCHEMY_URL: servers.alchemy.url, ALCHEMY_API_KEY: ALCHEMY_KEY },
    ETHEREUM_NODE_URL: servers.node.address,
  };
  return { ...servers, service, env, contract };
}

/** The fakes behind proxies that rewrite their answers. */
async function rewritten(rewrite: Parameters<typeof startRewritingProxy>[1]) {
  const given = await fakes();
  const node = new URL(given.env.ETHEREUM_NODE_URL);
  const proxies = await Promise.all(
    [given.service, given.openSea, given.coinGecko, given.alchemy, { url: node.origin }].map(
      async ({ url }) => await startRewritingProxy(url, rewrite),
    ),
  );
  onTestFinished(async () => {
    for (const proxy of proxies) await proxy[Symbol.asyncDispose]();
  });
  const [service = '', openSea = '', coinGecko = '', alchemy = '', ofNode = ''] = proxies.map(
    ({ url }) => url,
  );
  const env = {
    ...given.env,
    ...{ UPSTREAM_URL: service, OPENSEA_URL: openSea, COINGECKO_URL: coinGecko },
    ...{ ALCHEMY_URL: alchemy, ETHEREUM_NODE_URL: `${ofNode}${node.pathname}` },
  };
  return { ...given, env };
}

/** Ten differences between a service and its documentation. */
const TEN_WAYS: readonly (readonly [RegExp, (answer: Rewritten) => void])[] = [
  [
    /\/stats$/,
    ({ headers }) => {
      for (const name of ['limit', 'remaining', 'reset']) headers.delete(`x-ratelimit-${name}`);
    },
  ],
  [
    /\/floor_prices$/,
    (answer) => {
      answer.body = answer.body.replaceAll(/"time":(\d+)/g, '"time":$1000');
    },
  ],
  [
    /\/events\/collection\//,
    (answer) => {
      const page = JSON.parse(answer.body);
      for (const { payment } of page.asset_events)
        payment.quantity = Number(payment.quantity) / 1e18 + 0.001;
      answer.body = JSON.stringify({ asset_events: page.asset_events.slice(0, 20), next: '0' });
    },
  ],
  [
    /\/nfts\/ethereum\/contract\//,
    (answer) => {
      answer.body = answer.body.replace('"ETH"', '"USDC"');
    },
  ],
  [
    /\/getFloorPrice$/,
    (answer) => {
      answer.status = 403;
      answer.body = '<!DOCTYPE html><title>Attention required</title>';
    },
  ],
  [
    /\/floor-price\/historical$/,
    (answer) => {
      answer.body = JSON.stringify({ ...JSON.parse(answer.body), result: [], cursor: '' });
    },
  ],
  [
    /\/lowestprice$/,
    (answer) => {
      answer.body = answer.body.replace('"block_timestamp"', '"timestamp"');
    },
  ],
  [
    /\/price$/,
    (answer) => {
      answer.status = 418;
    },
  ],
  [
    /^\/v3\/key-of-the-node$/,
    ({ headers }) => {
      headers.set('date', new Date(Date.now() + HOUR).toUTCString());
    },
  ],
];

describe('npm run operate -- probe', () => {
  it('npm run operate -- probe finds no difference between the code and the fakes', async () => {
    const { env, contract, openSea } = await fakes();

    const { exit, out, error, report } = await runProbe(['--contract', contract, '--json'], env);

    const events = out.map((line) => JSON.parse(line));
    const reported = omit(events.at(-1), 'event', 'file');
    expect(events.slice(0, -1).map(({ event }) => event)).toEqual(Array(5).fill('asking'));
    expect(report.findings.filter(({ agrees }: Finding) => !agrees)).toEqual([]);
    expect(new Set(report.findings.map(({ subject }: Finding) => subject)).size).toBe(5);
    expect(report).toMatchObject({ differences: 0, findings: expect.any(Array) });
    expect(reported).toEqual(report);
    expect({ exit, error, issues: openSea.issues }).toEqual({ exit: 0, error: '', issues: [] });
  });

  it('npm run operate -- probe reports all ten differences between the fakes and the code', async () => {
    const { env, contract } = await rewritten((answer, path) => {
      for (const [pattern, change] of TEN_WAYS) if (pattern.test(path)) change(answer);
    });

    const { exit, report } = await runProbe(['--contract', contract, '--json'], env);

    const differences = report.findings
      .filter(({ agrees }: Finding) => !agrees)
      .map(({ subject, answer, check, found }: Finding) =>
        [subject, answer, check, found].join(' | '),
      );
    expect(differences).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^opensea \| current floor \| rate headers \| no x-ratelimit-limit/),
        expect.stringMatching(
          /^opensea \| floor history \| members \| whole number with 13 digits/,
        ),
        expect.stringMatching(/^opensea \| sales \| members \| number with a fraction/),
        'opensea | sales | page size | 20, although another page follows',
        'coingecko | floor | currency | usdc',
        'alchemy | current floor | body | an HTML page',
        'nft-data | floor | result | the provider returned no price',
        expect.stringMatching(/^nft-data \| lowest sale \| members \| missing; found .*timestamp/),
        'nft-data | price summary | status | 418',
        'ethereum-node | receipts | clock | 60 min ahead',
      ]),
    );
    expect(exit).toBe(3);
  });

  it('npm run operate -- probe explains a difference in words, and exits with 3', async () => {
    const { env, contract } = await rewritten((answer, path) => {
      if (path.includes('/nfts/')) answer.body = answer.body.replace('"ETH"', '"USDC"');
    });

    const { exit, out } = await runProbe(['--contract', contract], env);

    expect(out).toContain('DIFFERS  coingecko: floor  currency');
    expect(out).toContain('           found:    usdc');
    expect(out.at(-2)).toMatch(/^1 of \d+ comparisons differ\.$/);
    expect(exit).toBe(3);
  });

  it('npm run operate -- probe reports a node that refuses batches and wide ranges', async () => {
    const { env, contract } = await fakes({ mostPerBatch: 1, mostBlocks: 600 });
    const { ETHEREUM_NODE_URL } = env;

    const { exit, report } = await runProbe(['--contract', contract], { ETHEREUM_NODE_URL });

    expect(report.findings.filter(({ agrees }: Finding) => !agrees)).toMatchObject([
      { answer: 'receipts', check: 'batches', found: 'rejected' },
      { answer: 'transfers', check: 'block range', expected: '2000 blocks', found: '500 blocks' },
    ]);
    expect(exit).toBe(3);
  });

  it('npm run operate -- probe reads channels from a variable, and skips emails and PagerDuty', async () => {
    const channels = [
      { kind: 'email', to: 'ops@example.com' },
      { id: 'duty', kind: 'pagerduty', routingKey: 'a'.repeat(32) },
    ];

    const { exit, out, written } = await runProbe(['--channels-from', 'env:CHANNELS', '--json'], {
      CHANNELS: JSON.stringify(channels),
    });

    expect(JSON.parse(out.at(-1) ?? '')).toMatchObject({
      ...{ event: 'report', findings: [] },
      skipped: [{ subject: 'email' }, { subject: 'pagerduty (duty)' }],
    });
    expect(written()).not.toContain('a'.repeat(32));
    expect(exit).toBe(0);
  });

  it('npm run operate -- probe prints no key, address or body, even if an answer repeats the key', async () => {
    const { env, contract } = await rewritten((answer) => {
      answer.headers.set('server', Object.values(env).join(' '));
      answer.body = `{"${Object.values(env).map(encodeURIComponent).join('":1,"')}":"a body"}`;
    });

    const { out, error, written } = await runProbe(['--contract', contract, '--json'], env);

    const shown = `${out.join('\n')}${error}${written()}`;
    const secrets = [INSTANT_KEY, DEMO_KEY, ALCHEMY_KEY, UPSTREAM_KEY, 'key-of-the-node'];
    expect(shown).toContain('[hidden]');
    expect([...secrets, '127.0.0.1', 'a body'].filter((secret) => shown.includes(secret))).toEqual(
      [],
    );
  });

  it.each([
    { args: [], env: {}, issue: 'no provider is configured: set OPENSEA_API_KEY' },
    { args: ['--contract', 'apes'], env: {}, issue: '--contract' },
    { args: [], env: { UPSTREAM_KEY }, issue: 'set both UPSTREAM_URL and UPSTREAM_KEY' },
    { args: ['--send'], env: SILENT, issue: '--send needs --channels-from' },
    {
      args: ['--channels-from', 'env:CHANNELS'],
      env: { CHANNELS: '[{"kind":"slack","url":"https://example.com/secret"}]' },
      issue: '--channels-from: 0.url: expected https://hooks.slack.com/services',
    },
    {
      args: ['--channels-from', 'env:CHANNELS'],
      env: { CHANNELS: '[{"kind":"slack","url":"kept:01234567"}]' },
      issue: 'give the secret itself',
    },
    { args: ['--report', '/nowhere/report.json'], env: SILENT, issue: '/nowhere/report.json' },
  ])(
    'npm run operate -- probe exits with 2 after a mistake in $args',
    async ({ args, env, issue }) => {
      const { exit, error } = await runProbe(args, env);

      expect({ exit, error }).toEqual({ exit: 2, error: expect.stringContaining(issue) });
    },
  );

  it('the help of npm run operate -- probe warns that the command was never tested against real services', async () => {
    const { out } = await runProbe(['--help']);

    expect(out.join(' ')).toContain('never against the real services');
  });
});

async function runProbe(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const file = join(mkdtempSync(join(tmpdir(), 'probe-')), 'report.json');
  const target = args.includes('--report') ? [] : ['--report', file];
  const { lines: out, error, exit } = await operate(['probe', ...target, ...args], env);
  const written = () => readFileSync(file, 'utf8');
  const report = existsSync(file) ? JSON.parse(written()) : undefined;
  return { out, error, exit, report, written };
}
