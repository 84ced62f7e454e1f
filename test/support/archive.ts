import type { Token, Trait } from '#shared/domain/archive/token.ts';
import type { Trade, TradeRecord } from '#shared/domain/archive/trade.ts';
import { contractOf } from '#shared/domain/market/contract.ts';
import { formatInstant, type Instant } from '#shared/domain/market/instant.ts';
import { PUNKS } from './builders.ts';

const { address } = contractOf(PUNKS);

/** A token of the punks with these traits in its metadata. */
export function aToken(id: number | bigint, traits: readonly Trait[], record: object = {}): Token {
  const attributes = traits.map(([trait_type, value]) => ({ trait_type, value }));
  const metadata = JSON.stringify({ name: `#${id}`, attributes });
  return {
    contract: PUNKS,
    id: BigInt(id),
    record: { token_address: address, metadata, ...record },
  };
}

/** A trade of the punks, in wei; `order` distinguishes trades at the same time. */
export function aSale(
  price: bigint | number,
  time: Instant,
  {
    order = 0,
    position = 0,
    ...record
  }: Partial<TradeRecord> & { readonly order?: number; readonly position?: number } = {},
): Trade {
  const reported = {
    token_address: address,
    transaction_hash: `0x${[price, time, order].join('f').padStart(64, '0')}`,
    transaction_index: '',
    token_ids: ['1'],
    seller_address: '',
    buyer_address: '',
    marketplace_address: '',
    price: `${price}`,
    block_timestamp: formatInstant(time).slice(0, -1),
    block_number: '',
    block_hash: '',
    ...record,
  };
  return { contract: PUNKS, time, price: BigInt(price), order, position, record: reported };
}
