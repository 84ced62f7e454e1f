import { equal, ok } from 'node:assert/strict';
import process from 'node:process';
import { ApiUtils } from '@moralisweb3/api-utils';
import { Core } from '@moralisweb3/common-core';
import { CommonEvmUtils } from '@moralisweb3/common-evm-utils';
import { EvmApi } from '@moralisweb3/evm-api';

/**
 * Calls the v2.2 operations like an existing v2.2 client, on a stack whose only provider is
 * OpenSea. The published SDK supports only one of these three operations: the lowest price.
 */
const [, , baseUrl = '', apiKey = '', address = '', trait = '', value = ''] = process.argv;
const core = Core.create();
const evm = EvmApi.create(core);
core.registerModules([CommonEvmUtils.create(core), ApiUtils.create(core), evm]);
await core.start({ apiKey, evmApiBaseUrl: `${baseUrl}/api/v2.2` });

const lowest = await evm.nft.getNFTLowestPrice({ chain: '0x1', address, days: 7 });
ok(lowest);
const trade = lowest.raw;
equal(trade.token_address, address);
ok(BigInt(trade.price) > 0n);
// OpenSea does not report the block of a sale, so `lowest.result` would throw.
equal(trade.block_number, '');

const floors = await ask('floor-price/historical?interval=7d');
ok(floors.result.length > 24);
ok(floors.result.every(({ floor_price }) => Number(floor_price) > 0));

const first = await ask('nfts-by-traits', { traits: { [trait]: value } });
ok(first.result.length > 0);
ok(first.result.every(({ token_address }) => token_address === address));

process.stdout.write(
  `the published SDK has read a lowest price of ${trade.price}, and ${floors.result.length} floors and ${first.result.length} tokens beside it, of OpenSea alone\n`,
);

type Page = { readonly result: readonly Readonly<Record<string, unknown>>[] };

async function ask(way: string, traits?: object): Promise<Page> {
  const response = await fetch(`${baseUrl}/api/v2.2/nft/${address}/${way}`, {
    headers: { 'X-API-Key': apiKey },
    ...(traits === undefined ? {} : { method: 'POST', body: JSON.stringify(traits) }),
  });
  equal(response.status, 200);
  return (await response.json()) as Page;
}
