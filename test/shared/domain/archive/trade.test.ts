import { describe, expect, it } from 'vitest';
import { createPositions, isOn, type TradeRecord, tradeId } from '#shared/domain/archive/trade.ts';
import { aSale } from '#test/support/archive.ts';
import { NOON } from '#test/support/builders.ts';

const SALE: Partial<TradeRecord> = { transaction_hash: '0xab', token_ids: ['7'] };

describe('the identity of a trade', () => {
  it('gives a sale the same id from each source, with or without its block and marketplace', () => {
    const reported = aSale(5, NOON, { ...SALE, seller_address: '0xcd' });

    expect(
      tradeId(
        aSale(5, NOON, {
          ...{ transaction_hash: '0xAB', transaction_index: '4', token_ids: ['7'] },
          ...{ seller_address: '0xCD', block_hash: '0xef', marketplace_address: '0x1' },
        }),
      ),
    ).toBe(tradeId(reported));
  });

  it.each<Partial<TradeRecord> & { readonly position?: number }>([
    { transaction_hash: '0xac' },
    { token_ids: ['8'] },
    { token_ids: ['7', '8'] },
    { buyer_address: '0xb' },
    { seller_address: '0xb' },
    { price: '6' },
    { position: 1 },
  ])('gives a trade another id if it differs in %j', (other) => {
    const ids = [SALE, { ...SALE, ...other }].map((record) => tradeId(aSale(5, NOON, record)));

    expect(ids[1]).not.toBe(ids[0]);
  });
});

describe('the position of a trade', () => {
  const { record } = aSale(5, NOON, SALE);
  const { record: dearer } = aSale(6, NOON, SALE);

  it('gives equal trades consecutive positions if their marks (such as order hashes) differ, else the same position', () => {
    const positionOf = createPositions();

    const positions = ['a', 'b', 'a', 'c', 'b'].map((mark) => positionOf(record, mark));

    expect(positions).toEqual([0, 1, 0, 2, 1]);
  });

  it('counts the positions of equal trades separately for each price', () => {
    const positionOf = createPositions();

    expect([positionOf(record, 'a'), positionOf(dearer, 'b')]).toEqual([0, 0]);
  });
});

it('identifies a trade without a transaction by all its members', () => {
  const hashless = (record: object) => tradeId(aSale(5, NOON, { transaction_hash: '', ...record }));

  expect(hashless({})).toBe(hashless({}));
  expect(hashless({ price: '6' })).not.toBe(hashless({}));
});

it('assigns a trade to a marketplace by the executing contract, in any case', () => {
  const on = (marketplace_address: string) =>
    isOn('opensea', aSale(5, NOON, { marketplace_address }));

  expect(on('0x7be8076f4ea4a4ad08075c2508e481d6c946d12b')).toBe(true);
  expect(on('0x7BE8076F4EA4A4AD08075C2508E481D6C946D12B')).toBe(true);
  expect(on('0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb')).toBe(false);
  expect(on('')).toBe(false);
});
