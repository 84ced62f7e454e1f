import { expect, it } from 'vitest';
import { createHttpClient } from '#shared/clients/http-client.ts';
import { contractOf } from '#shared/domain/market/contract.ts';
import { DAY, SECOND } from '#shared/domain/market/instant.ts';
import { createEthereumNode } from '#shared/providers/ethereum-node/ethereum-node.ts';
import { APES, eth, NOON } from '#test/support/builders.ts';
import {
  type ChainTransaction,
  HEAD,
  hashOf,
  type NodeLimits,
  startEthereumNode,
  timeOf,
} from '#test/support/ethereum-node/ethereum-node-double.ts';
import {
  BUYER,
  ether,
  FEES,
  orderFulfilled,
  SEAPORT_1_6,
  SELLER,
  to,
  token,
  transfer,
} from '#test/support/ethereum-node/event-logs.ts';

const { signal } = new AbortController();
const apes = contractOf(APES);
const HEAD_TIME = NOON - 5 * SECOND;

async function world(transactions: readonly ChainTransaction[], limits: Partial<NodeLimits> = {}) {
  const node = await startEthereumNode(transactions, { headTime: HEAD_TIME, ...limits });
  const upstream = createEthereumNode({
    http: createHttpClient({ deadlineMs: 5000, maxBodyBytes: 4_000_000, maxConnections: 2 }),
    baseUrl: 'https://node.example.com',
    apiKey: async () => node.address,
    now: () => NOON,
  });
  return { node, upstream, [Symbol.asyncDispose]: node[Symbol.asyncDispose] };
}

it('a listing that was taken is a sale for all that its buyer paid', async () => {
  const block = HEAD - 1000;
  const listing = orderFulfilled({
    offerer: SELLER,
    recipient: BUYER,
    offer: [token(apes.address, 8817n)],
    consideration: [to(SELLER, ether(eth('9.25'))), to(FEES, ether(eth('0.25')))],
  });
  const logs = [transfer(apes.address, SELLER, BUYER, 8817n), listing];
  await using server = await world([{ block, logs }]);

  const read = await server.upstream.salesBetween(apes, { from: NOON - DAY }, signal);

  const time = timeOf(block, HEAD_TIME);
  expect(read).toEqual({
    kind: 'ok',
    value: {
      since: NOON - DAY,
      sales: [
        {
          ...{ time, price: eth('9.5'), tokenIds: ['8817'], transactionHash: hashOf(0) },
          record: expect.objectContaining({
            token_address: apes.address,
            seller_address: SELLER,
            buyer_address: BUYER,
            marketplace_address: SEAPORT_1_6,
            price: '9500000000000000000',
            block_number: `${block}`,
          }),
        },
      ],
    },
  });
});
