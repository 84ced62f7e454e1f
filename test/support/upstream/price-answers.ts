import * as z from 'zod';
import {
  type Floor,
  lowestTrade,
  type MarketSource,
  priceOf,
  type Trade,
} from '#infra/local/upstream/market-source.ts';
import { isPaidInEth } from '#shared/domain/archive/import-line.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { formatDecimal } from '#shared/domain/market/decimal.ts';
import { DAY, type Instant } from '#shared/domain/market/instant.ts';
import { PAGE_SIZE, type Place, pageOf } from './pages.ts';

export const FloorInterval = z.enum(['1d', '7d', '30d', '60d', '90d', '1y', 'all']);
type FloorInterval = z.output<typeof FloorInterval>;

const INTERVAL_DAYS: Readonly<Record<FloorInterval, number>> = {
  '1d': 1,
  '7d': 7,
  '30d': 30,
  '60d': 60,
  '90d': 90,
  '1y': 365,
  all: 100_000,
};

type FloorQuery = { readonly interval: FloorInterval; readonly cursor?: Place };
type SalesQuery = { readonly days: number };

/** The floors of an interval that ends now, newest first. */
export function floorPage(
  source: MarketSource,
  contract: ContractKey,
  { interval, cursor }: FloorQuery,
  now: Instant,
) {
  const to = Math.min(cursor?.to ?? now, now);
  const from = to - INTERVAL_DAYS[interval] * DAY;
  const floors = source.floors(contract, from, to);
  const place = { skip: 0, size: PAGE_SIZE, page: 1, ...cursor, to };
  const body = pageOf(floors, place, floorRecord);
  // A contract that was never requested has no history yet, and may never have one.
  if (body.result.length === 0 && source.nextFloor(contract, -Infinity) === undefined) {
    return { status: 202, body: { message: 'The floor price of this contract is being synced.' } };
  }
  return { status: 200, body };
}

/** The answer with the newest floor only. */
export function currentFloor(
  source: MarketSource,
  contract: ContractKey,
  _: unknown,
  now: Instant,
) {
  const [newest] = source.floors(contract, -Infinity, now);
  if (newest === undefined) return { status: 404, body: { message: 'No floor price found' } };
  const { timestamp, ...record } = floorRecord(newest);
  return { status: 200, body: { ...record, last_updated: timestamp } };
}

/** The lowest sale paid in ETH, in the form of the record in the specification. */
export function lowestRecord(
  source: MarketSource,
  contract: ContractKey,
  { days }: SalesQuery,
  now: Instant,
) {
  const lowest = lowestTrade(source, contract, now - days * DAY, now);
  if (lowest === undefined) return { status: 404, body: { message: 'No trades found' } };
  const { chain, payment_token, ...record } = lowest.record;
  return { status: 200, body: record };
}

/**
 * A summary of the sales of a window that were paid in ETH. The real service counts every payment
 * token.
 */
export function priceSummary(
  source: MarketSource,
  contract: ContractKey,
  { days }: SalesQuery,
  now: Instant,
) {
  const trades = [...source.trades(contract, now - days * DAY, now)].filter(({ record }) =>
    isPaidInEth(record),
  );
  const byPrice = trades.toSorted((a, b) => compare(priceOf(a), priceOf(b)));
  const total = trades.reduce((sum, trade) => sum + priceOf(trade), 0n);
  const average = trades.length === 0 ? undefined : total / BigInt(trades.length);
  return {
    status: 200,
    body: {
      last_sale: saleOf(trades.at(-1)),
      lowest_sale: saleOf(byPrice[0]),
      highest_sale: saleOf(byPrice.at(-1)),
      average_sale:
        average === undefined
          ? null
          : { price: `${average}`, price_formatted: formatDecimal(average) },
      total_trades: trades.length,
    },
  };
}

const floorRecord = ({ record: { chain, token_address, ...record } }: Floor) => record;

const compare = (a: bigint, b: bigint) => Number(a > b) - Number(a < b);

const ETHER = {
  token_name: 'Ether',
  token_symbol: 'ETH',
  token_logo: '',
  token_decimals: '18',
  token_address: '0x0000000000000000000000000000000000000000',
};

function saleOf(trade: Trade | undefined) {
  if (trade === undefined) return null;
  const { transaction_hash, block_timestamp, buyer_address, seller_address, price, token_ids } =
    trade.record;
  return {
    transaction_hash,
    block_timestamp,
    buyer_address,
    seller_address,
    price,
    price_formatted: formatDecimal(priceOf(trade)),
    usd_price_at_sale: null,
    current_usd_value: null,
    token_id: token_ids[0] ?? '',
    payment_token: ETHER,
  };
}
