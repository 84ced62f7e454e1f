import { defined } from '#shared/domain/defined.ts';
import type { InterfaceOperation } from '#shared/domain/market/chains.ts';
import type { Contract } from '#shared/domain/market/contract.ts';
import type { Outcome, UpstreamWay } from '#shared/domain/market/upstream.ts';
import type { ProviderSettings } from '#shared/providers/call-provider.ts';
import type { MainUpstream } from '#shared/use-cases/upstream.ts';
import {
  passLowestRecord,
  passLowestSale,
  passPage,
  readFloorPage,
  readLowestRecord,
  readPriceSummary,
} from './answers.ts';
import { callNftData } from './call-nft-data.ts';

/**
 * The v2.2 interface over HTTP. Every response becomes an outcome; only valid prices have the
 * outcome `ok`.
 */
export function createNftData(settings: ProviderSettings): MainUpstream {
  const { now } = settings;
  return {
    floorHistory: (contract, { interval, cursor }, signal) =>
      call(settings, contract, {
        operation: 'floor',
        path: 'floor-price/historical',
        query: { interval, ...defined({ cursor }) },
        signal,
        read: (body) => readFloorPage(body, contract.chain, now()),
      }),

    lowestTrade: (contract, days, way, signal) =>
      call(settings, contract, {
        operation: 'lowest',
        path: way,
        query: { days: `${Math.min(Math.max(Math.trunc(days), 1), 365)}` },
        signal,
        read: (body) =>
          way === 'price'
            ? readPriceSummary(body, contract.chain, now())
            : readLowestRecord(body, contract.chain, now()),
      }),

    answer: ({ way, contract, parameters, body }, signal) =>
      call(settings, contract, {
        operation: OPERATIONS[way],
        path: way,
        query: parameters,
        ...defined({ body }),
        signal,
        read: (answer) => READERS[way](answer, contract),
      }),
  };
}

const OPERATIONS: Readonly<Record<UpstreamWay, InterfaceOperation>> = {
  'nfts-by-traits': 'traits',
  'floor-price/historical': 'floor',
  lowestprice: 'lowest',
  price: 'lowest',
};

const READERS: Readonly<
  Record<UpstreamWay, (body: string, contract: Contract) => Outcome<string>>
> = {
  'nfts-by-traits': passPage,
  'floor-price/historical': passPage,
  lowestprice: passLowestRecord,
  price: passLowestSale,
};

type Call<Value> = Omit<Parameters<typeof callNftData<Value>>[1], 'chain'>;

async function call<Value>(
  settings: ProviderSettings,
  { chain, address }: Contract,
  { path, ...rest }: Call<Value>,
): Promise<Outcome<Value>> {
  const below = `nft/${address.toLowerCase()}/${path}`;
  return await callNftData(settings, { ...rest, chain, path: below });
}
