import { env } from 'node:process';
import type { Address } from 'viem';
import { it, vi } from 'vitest';
import * as z from 'zod';
import { createSimulatedMarket } from '#infra/local/upstream/simulated-market.ts';
import { SECOND } from '#shared/domain/market/instant.ts';
import { DEMO_KEY, startCoinGecko } from '#test/support/coingecko/coingecko-double.ts';
import { HEAD, startEthereumNode } from '#test/support/ethereum-node/ethereum-node-double.ts';
import {
  BUYER,
  ether,
  orderFulfilled,
  SELLER,
  to,
  token,
  transfer,
} from '#test/support/ethereum-node/event-logs.ts';
import { startLocalStack } from '#test/support/local-stack.ts';
import { startOpenSea } from '#test/support/opensea/opensea-double.ts';

// Prices arrive in real time, so the tests run concurrently.
vi.setConfig({ testTimeout: 480_000 });

const statsOf = (floor: string) => ({
  status: 200,
  body: `{"intervals":[],"total":{"volume":0,"volume_symbol":"","sales":0,"num_owners":0,"floor_price":${floor},"floor_price_symbol":"ETH"}}`,
});

/** The whole stack with OpenSea and CoinGecko, whose floors and health the test sets. */
async function twoProviders() {
  const said = { openSea: '10', coinGecko: '10', isOpenSeaDead: false };
  const source = createSimulatedMarket(1, Date.now());
  const { contract = '' } = source.contracts()[0] ?? {};
  const openSea = await startOpenSea({
    source,
    now: Date.now,
    instead: (path) => {
      if (said.isOpenSeaDead) return { status: 503, body: '{}' };
      return path.endsWith('/moonlit-apes/stats') ? statsOf(said.openSea) : undefined;
    },
  });
  const coinGecko = await startCoinGecko((address) =>
    contract.endsWith(address) ? said.coinGecko : undefined,
  );
  const stack = startLocalStack(['--live', 'moonlit-apes below 9.5', '--for', '8m'], 'shown', {
    ...env,
    ...{ OPENSEA_URL: openSea.url, COINGECKO_URL: coinGecko.url, COINGECKO_API_KEY: DEMO_KEY },
  });
  return {
    ...{ said, stack, coinGecko },
    [Symbol.asyncDispose]: async () => {
      await stack[Symbol.asyncDispose]();
      await Promise.all([openSea[Symbol.asyncDispose](), coinGecko[Symbol.asyncDispose]()]);
    },
  };
}

const Watched = z.object({
  contracts: z.array(
    z.object({
      series: z.array(
        z.object({
          series: z.string(),
          price: z.string().nullable(),
          health: z.object({
            state: z.string(),
            reason: z.string().nullable(),
            confirmedBy: z.string().nullable(),
          }),
        }),
      ),
    }),
  ),
});

/** Waits until the floor of the watched collection matches. */
async function floorThat(
  { url, apiKey }: { url: string; apiKey: string },
  isWanted: (floor: { state: string; confirmedBy: string | null }) => boolean,
) {
  for (;;) {
    const answer = await fetch(`${url}/v1/contracts`, { headers: { 'X-API-Key': apiKey } });
    const [watched] = Watched.parse(await answer.json()).contracts;
    const floor = watched?.series.find(({ series }) => series === 'floor');
    if (floor !== undefined && isWanted(floor.health)) return floor;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

it.concurrent('a drop that only OpenSea reports is disputed, with both values, and fires once CoinGecko confirms it', async ({
  expect,
}) => {
  await using world = await twoProviders();
  const { said, stack } = world;
  const seen: string[] = [];

  for await (const line of stack.events) {
    if (line.event === 'ready') {
      await floorThat(line, ({ confirmedBy }) => confirmedBy === 'coingecko');
      said.openSea = '9';
      const { health } = await floorThat(line, ({ state }) => state === 'disputed');
      seen.push(health.reason ?? '');
      said.coinGecko = '9.1';
    }
    if (line.event === 'alert') {
      seen.push(`${line.alert.kind} at ${line.alert.value}`);
      break;
    }
  }

  expect(seen).toEqual([
    'the providers disagree: opensea reports 9 ETH, coingecko reports 10 ETH',
    'fired at 9',
  ]);
});

it.concurrent('if OpenSea fails, an alert is sent with the price of CoinGecko', async ({
  expect,
}) => {
  await using world = await twoProviders();
  const { said, stack } = world;
  const seen: string[] = [];

  for await (const line of stack.events) {
    if (line.event === 'ready') {
      await floorThat(line, ({ confirmedBy }) => confirmedBy === 'coingecko');
      said.isOpenSeaDead = true;
      said.coinGecko = '9.4';
    }
    if (line.event === 'alert') {
      seen.push(`${line.alert.kind} at ${line.alert.value}, by ${line.alert.source}`);
      break;
    }
  }

  expect(seen).toEqual(['fired at 9.4, by coingecko']);
});

it.concurrent('an Ethereum node provides the lowest sale while OpenSea reports no sales', async ({
  expect,
}) => {
  const source = createSimulatedMarket(1, Date.now());
  const { contract = '' } = source.contracts()[0] ?? {};
  const address = contract.slice('eth:'.length) as Address;
  const openSea = await startOpenSea({
    source,
    now: Date.now,
    instead: (path) => (path.includes('/events/') ? { status: 503, body: '{}' } : undefined),
  });
  await using _openSea = openSea;
  const sale = [
    transfer(address, SELLER, BUYER, 7n),
    orderFulfilled({
      offerer: SELLER,
      recipient: BUYER,
      offer: [token(address, 7n)],
      consideration: [to(SELLER, ether(1_250_000_000_000_000_000n))],
    }),
  ];
  await using node = await startEthereumNode([{ block: HEAD - 300, logs: sale }], {
    headTime: Math.floor(Date.now() / SECOND) * SECOND,
  });
  await using stack = startLocalStack(['--live', 'moonlit-apes', '--for', '4m'], 'shown', {
    ...env,
    ...{ OPENSEA_URL: openSea.url, ETHEREUM_NODE_URL: node.address },
  });

  for await (const line of stack.events) {
    if (line.event === 'ready') {
      await fetch(`${line.url}/v1/watchlists`, {
        method: 'POST',
        headers: { 'X-API-Key': line.apiKey },
        body: JSON.stringify({
          ...{ id: 'sales', name: 'Sales', contracts: [contract] },
          rules: [{ id: 'low', metric: 'lowest_price.7d', when: 'below', threshold: '1.5' }],
        }),
      });
    }
    if (line.event === 'alert' && line.alert.rule === 'low') {
      expect([line.alert.kind, line.alert.value]).toEqual(['fired', '1.25']);
      break;
    }
  }
  expect(node.calls().map(({ method }) => method)).toContain('eth_getTransactionReceipt');
});
