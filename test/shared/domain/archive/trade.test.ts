import { expect, it } from 'vitest';
import { isOn, type TradeRecord, tradeId } from '#shared/domain/archive/trade.ts';
import { aSale } from '#test/support/archive.ts';
import { NOON } from '#test/support/builders.ts';

const SALE: Partial<TradeRecord> = { transaction_hash: '0xab', token_ids: ['7'] };

it('is the same, whichever source reports it again', () => {
  const reported = aSale(5, NOON, SALE);

  expect(tradeId(aSale(5, NOON, { ...SALE, block_hash: '0xcd' }))).toBe(tradeId(reported));
});

it.each<Partial<TradeRecord>>([
  { transaction_hash: '0xac' },
  { transaction_index: '4' },
  { token_ids: ['8'] },
  { token_ids: ['7', '8'] },
  { buyer_address: '0xb' },
  { seller_address: '0xb' },
])('is another one with %j', (other) => {
  const ids = [SALE, { ...SALE, ...other }].map((record) => tradeId(aSale(5, NOON, record)));

  expect(ids[1]).not.toBe(ids[0]);
});

it('without a transaction is the same when all that is reported is', () => {
  const hashless = (record: object) => tradeId(aSale(5, NOON, { transaction_hash: '', ...record }));

  expect(hashless({})).toBe(hashless({}));
  expect(hashless({ price: '6' })).not.toBe(hashless({}));
});

it('is of a marketplace by the contract that executed it, in any case', () => {
  const on = (marketplace_address: string) =>
    isOn('opensea', aSale(5, NOON, { marketplace_address }));

  expect(on('0x7be8076f4ea4a4ad08075c2508e481d6c946d12b')).toBe(true);
  expect(on('0x7BE8076F4EA4A4AD08075C2508E481D6C946D12B')).toBe(true);
  expect(on('0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb')).toBe(false);
  expect(on('')).toBe(false);
});
