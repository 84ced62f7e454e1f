import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import {
  createTradeReader,
  FloorLine,
  floorIn,
  TradeLine,
} from '#shared/domain/archive/import-line.ts';
import { contractOf } from '#shared/domain/market/contract.ts';
import { HOUR } from '#shared/domain/market/instant.ts';
import { passLowestSale } from '#shared/providers/nft-data/answers.ts';
import { createHistoryStore } from '#shared/stores/history-store.ts';
import { createTokenArchive } from '#shared/stores/token-store.ts';
import { createTradeArchive } from '#shared/stores/trade-store.ts';
import { aToken } from '#test/support/archive.ts';
import { NOON, PUNKS } from '#test/support/builders.ts';
import { aFloorLine, aTradeLine } from '#test/support/market-files.ts';
import { FLOORS, LOWEST, serveArchive } from '#test/support/nft-archive.ts';

/*
 * Section 2 of the v2.2 specification, transcribed by hand, independently of the product's schemas.
 * Two additions are from the prose of the specification: an unknown member of a token or a floor is
 * null, and a trade has `token_address`.
 */

type Shape = Readonly<Record<string, (value: unknown) => boolean>>;

const text = (value: unknown) => typeof value === 'string';
const textOrNull = (value: unknown) => value === null || text(value);
const matching = (form: RegExp) => (value: unknown) =>
  typeof value === 'string' && form.test(value);
const arrayOf = (is: (value: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every(is);

/** Section 2.5. */
const TRADE: Shape = {
  transaction_hash: text,
  transaction_index: text,
  token_ids: arrayOf(text),
  seller_address: text,
  buyer_address: text,
  marketplace_address: text,
  price: matching(/^[0-9]+$/),
  block_timestamp: matching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?$/),
  block_number: text,
  block_hash: text,
  token_address: matching(/^0x[0-9a-f]{40}$/),
};

/** Section 2.4. */
const MARKETPLACE: Shape = { name: text, logo: text };
const FLOOR: Shape = {
  floor_price: matching(/^\d+(\.\d+)?$/),
  floor_price_usd: (value) => value === null || matching(/^\d+(\.\d+)?$/)(value),
  currency: matching(/^[^A-Z]+$/),
  marketplace: arrayOf((value) => wrongIn(value, MARKETPLACE).length === 0),
  timestamp: matching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
};

/** Section 2.2. */
const TOKEN: Shape = {
  ...Object.fromEntries(
    [
      ...['token_address', 'owner_of', 'token_hash', 'block_number', 'block_number_minted'],
      ...['contract_type', 'token_uri', 'metadata', 'minter_address', 'last_token_uri_sync'],
      ...['last_metadata_sync', 'amount', 'name', 'symbol', 'rarity_label'],
    ].map((member) => [member, textOrNull]),
  ),
  token_id: matching(/^\d+$/),
};

/** The members of a record that are missing or do not match the shape. */
function wrongIn(record: unknown, shape: Shape): readonly string[] {
  const members = record as Readonly<Record<string, unknown>>;
  return Object.keys(shape).filter((member) => shape[member]?.(members[member]) !== true);
}

describe('the substitute for the retired lowest-price operation', () => {
  const SALE = {
    transaction_hash: '0xab',
    block_timestamp: '2026-11-20T10:00:00.000Z',
    buyer_address: '0xb',
    seller_address: '0xc',
    price: '50000000000000007',
    price_formatted: '0.050000000000000007',
    token_id: '544',
    payment_token: { token_symbol: 'ETH', token_decimals: '18' },
  };
  const substituteFor = (sale: object) => {
    const body = JSON.stringify({ lowest_sale: sale });
    const outcome = passLowestSale(body, contractOf(PUNKS));
    return outcome.kind === 'ok' ? JSON.parse(outcome.value) : outcome;
  };

  it('a lowest price that is made from a sale has an empty text for each member that the sale lacks', () => {
    expect(substituteFor(SALE)).toMatchObject({
      transaction_hash: '0xab',
      transaction_index: '',
      marketplace_address: '',
      block_number: '',
      block_hash: '',
      token_ids: ['544'],
      block_timestamp: '2026-11-20T10:00:00',
    });
  });

  it('the substitute for a lowest price does not use a sale in another currency', () => {
    const payment_token = { token_symbol: 'USDC', token_decimals: '6' };

    expect(substituteFor({ ...SALE, payment_token })).toEqual({
      ...{ kind: 'unsupported', reason: 'money' },
    });
  });

  it('the substitute for a lowest price has the shape of section 2.5 for any form of a sale', () => {
    const optional = [
      ...['transaction_hash', 'transaction_index', 'buyer_address', 'seller_address'],
      ...['marketplace_address', 'block_number', 'block_hash', 'token_address', 'token_id'],
      'token_ids',
    ];
    const anything = fc.constantFrom(undefined, null, '', '0xab', 7, true, ['1', null], {});
    const sales = fc.record({
      ...Object.fromEntries(optional.map((member) => [member, anything])),
      block_timestamp: fc.constantFrom(
        ...['2026-11-20T10:00:00.000Z', '2026-11-20T10:00:00', '2026-11-20T10:00:00.250Z'],
        ...['2026-11-20 10:00', '2026-11-20T12:00:00+02:00'],
      ),
    });

    fc.assert(
      fc.property(sales, (given) => {
        expect(wrongIn(substituteFor({ ...SALE, ...given }), TRADE)).toEqual([]);
      }),
    );
  });

  it('the substitute for a lowest price converts a timestamp in another time zone to the same instant', () => {
    const { block_timestamp } = substituteFor({
      ...SALE,
      block_timestamp: '2026-11-20T12:00:00+02:00',
    });

    expect(block_timestamp).toBe('2026-11-20T10:00:00');
  });
});

describe('the archive', () => {
  it.each([
    ['with all its members', {}],
    ['without optional members', { transaction_hash: undefined, block_hash: undefined }],
    ['with a time zone', { block_timestamp: '2026-11-21T11:00:00.000Z' }],
    ['with another time zone', { block_timestamp: '2026-11-21T13:00:00+02:00' }],
  ])('the archive returns a trade %s in the shape of section 2.5', async (_what, given) => {
    const table = createMemoryTable();
    const line = TradeLine.parse(aTradeLine('2026-11-21T11:00:00', '7', given));
    await createTradeArchive(table).putTrades([createTradeReader()(line, 1)]);

    const { body } = await serveArchive(table).ask(LOWEST);

    expect(wrongIn(body, TRADE)).toEqual([]);
    expect(body.block_timestamp).toBe('2026-11-21T11:00:00');
  });

  it('the archive returns floors in the shapes of sections 2.1 and 2.4', async () => {
    const table = createMemoryTable();
    const points = [{}, { floor_price_usd: null }, { marketplace: undefined }].map(
      (given, hours) => {
        const timestamp = new Date(NOON - hours * HOUR).toISOString();
        return floorIn(FloorLine.parse(aFloorLine(timestamp, '31.45', given)));
      },
    );
    await createHistoryStore(table).record(PUNKS, 'floor', points);

    const { body } = await serveArchive(table).ask(FLOORS, { query: { interval: '1d' } });

    expect(body).toMatchObject({ page: 1, page_size: 100, cursor: '' });
    expect(body.result).toHaveLength(3);
    for (const floor of body.result) expect(wrongIn(floor, FLOOR)).toEqual([]);
  });

  it('the archive returns tokens in the shapes of sections 2.1 and 2.2', async () => {
    const table = createMemoryTable();
    await createTokenArchive(table).putTokens([aToken(7, [['hat', 'cap']])], 'a file');

    const { body } = await serveArchive(table).search({ hat: 'cap' });

    expect(body).toMatchObject({ page: '1', page_size: '100', cursor: '' });
    expect(wrongIn(body.result[0], TOKEN)).toEqual([]);
  });
});
