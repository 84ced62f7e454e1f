import type { MarketSource } from '#infra/local/upstream/market-source.ts';
import { FloorLine, TokenLine } from '#shared/domain/archive/import-line.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { formatInstant, type Instant } from '#shared/domain/market/instant.ts';

const ADDRESS = '0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb';

/** A market with one contract, whose floor the test sets. */
export function createWatchedMarket(now: () => Instant) {
  const contract = ContractKey.parse(`eth:${ADDRESS}`);
  const of = { chain: 'eth', token_address: ADDRESS };
  const floors: { readonly time: Instant; readonly record: FloorLine }[] = [];
  const token = TokenLine.parse({
    ...of,
    token_id: '7',
    name: 'Punk 7',
    metadata: JSON.stringify({ attributes: [{ trait_type: 'Hat', value: 'Crown' }] }),
  });
  const source: MarketSource = {
    contracts: () => [{ contract, name: 'Punks' }],
    floors: (_contract, from, to) =>
      floors.filter(({ time }) => time >= from && time <= to).toReversed(),
    trades: () => [],
    tokens: () => [token],
    nextFloor: () => undefined,
    nextTrade: () => undefined,
  };
  return {
    contract,
    address: ADDRESS,
    source,
    floorIs: (price: string) => {
      const time = now();
      const timestamp = formatInstant(time);
      const line = { ...of, floor_price: price, currency: 'eth', timestamp };
      floors.push({ time, record: FloorLine.parse(line) });
    },
  };
}
