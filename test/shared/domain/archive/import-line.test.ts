import { describe, expect, it } from 'vitest';
import { readRecord } from '#infra/operate/import/read-record.ts';
import {
  contractIn,
  createTradeReader,
  FloorLine,
  floorIn,
  isPaidInEth,
  TokenLine,
  TradeLine,
  tokenIn,
} from '#shared/domain/archive/import-line.ts';
import { CHAINS } from '#shared/domain/market/chains.ts';
import { contractKey } from '#shared/domain/market/contract.ts';
import { eth, instant, PUNKS } from '#test/support/builders.ts';
import { aFloorLine, aTokenLine, aTradeLine } from '#test/support/market-files.ts';

const DAWN = '2021-08-03T05:00:00';
const aFloor = (given: object = {}) => aFloorLine(`${DAWN}.000Z`, '31.45', given);
const aTrade = (given: object = {}) => aTradeLine(DAWN, '50000000000000007', given);

describe('import lines', () => {
  it.each(CHAINS)(
    'accepts the chain $name in an import line, by name, slug or hex id in any case',
    (chain) => {
      for (const word of [chain.name, chain.slug, chain.hex, chain.hex.toUpperCase()]) {
        const { token_address } = aFloor();
        const line = FloorLine.parse(aFloor({ chain: word, token_address }));
        expect(contractIn(line)).toBe(
          contractKey({ chain, address: '0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb' }),
        );
      }
    },
  );

  it.each([
    { line: aFloor({ chain: 'moon' }), says: /known chain/ },
    { line: aFloor({ token_address: '0x1' }), says: /40 hex digits/ },
    { line: aFloor({ floor_price: '0' }), says: /above zero/ },
    { line: aFloor({ floor_price: '-1' }), says: /above zero/ },
    { line: aFloor({ floor_price: 31.45 }), says: /string/ },
    { line: aFloor({ currency: undefined }), says: /string/ },
    { line: aFloor({ timestamp: 'yesterday' }), says: /ISO 8601/ },
    {
      line: aFloor({ timestamp: '1969-12-31T23:59:59Z' }),
      says: /between the years 1970 and 9998/,
    },
    {
      line: aFloor({ timestamp: '9999-12-31T23:59:59-14:00' }),
      says: /between the years 1970 and 9998/,
    },
  ])('rejects a line of floors with a reason: $says', ({ line, says }) => {
    expect(FloorLine.safeParse(line).error?.message).toMatch(says);
  });

  it.each([
    { line: aTrade({ price: '0' }), says: /above zero/ },
    { line: aTrade({ price: '-' }), says: /above zero/ },
    { line: aTrade({ price: '1.5' }), says: /smallest unit/ },
    { line: aTrade({ token_ids: 'x' }), says: /array/ },
    { line: aTrade({ block_timestamp: '2021-13-01T00:00:00' }), says: /ISO 8601/ },
    { line: aTrade({ token_ids: ['x'.repeat(400_000)] }), says: /at most 350 kB/ },
  ])('rejects a line of trades with a reason: $says', ({ line, says }) => {
    expect(TradeLine.safeParse(line).error?.message).toMatch(says);
  });

  it.each([
    { line: aTokenLine('0x1', []), says: /expected a decimal token id/ },
    { line: aTokenLine(`${2n ** 256n}`, []), says: /expected a decimal token id/ },
    { line: aTokenLine('1', [], { metadata: {} }), says: /string/ },
    { line: aTokenLine('1', [], { metadata: '🐵'.repeat(100_000) }), says: /at most 350 kB/ },
    { line: aTokenLine('1', new Array(501).fill(['a', 'b'])), says: /at most 500 traits/ },
  ])('rejects a line of tokens with a reason: $says', ({ line, says }) => {
    expect(TokenLine.safeParse(line).error?.message).toMatch(says);
  });
});

const TEXT = 'expected a string, found';
const ADDRESS = 'expected an address (0x and 40 hex digits), found';
const HASH = 'expected a hash (0x and 64 hex digits), or "", found';
const NUMBER_TEXT = 'expected a whole number in decimal digits, or "", found';

describe.each(['seller_address', 'buyer_address', 'marketplace_address'])(
  'trades with a missing or malformed address',
  (member) => {
    it.each([
      { found: undefined, reason: `${TEXT} nothing` },
      { found: null, reason: `${TEXT} null` },
      { found: '', reason: `${ADDRESS} ""` },
      { found: '0xb', reason: `${ADDRESS} "0xb"` },
    ])(`rejects a trade with ${member} $found, which the published SDK cannot read`, (given) => {
      const text = JSON.stringify(aTrade({ [member]: given.found }));

      expect(readRecord({ number: 1, text }, TradeLine)).toEqual({
        problem: `${member}: ${given.reason}`,
      });
    });
  },
);

it.each([
  { member: 'transaction_hash', found: '0xab', reason: `${HASH} "0xab"` },
  { member: 'block_hash', found: '-', reason: `${HASH} "-"` },
  { member: 'block_number', found: '0x10', reason: `${NUMBER_TEXT} "0x10"` },
  { member: 'transaction_index', found: 'first', reason: `${NUMBER_TEXT} "first"` },
  { member: 'payment_token', found: '', reason: 'expected at least 1 character' },
  { member: 'token_ids', found: [], reason: 'expected at least 1' },
])('rejects a trade with $member $found', ({ member, found, reason }) => {
  const text = JSON.stringify(aTrade({ [member]: found }));

  expect(readRecord({ number: 1, text }, TradeLine)).toEqual({
    problem: expect.stringMatching(new RegExp(`^${member}: ${RegExp.escape(reason)}`)),
  });
});

it('rejects a floor from a marketplace without a name', () => {
  const text = JSON.stringify(aFloor({ marketplace: [{ name: '', logo: '' }] }));

  expect(readRecord({ number: 1, text }, FloorLine)).toEqual({
    problem: 'marketplace.0.name: expected at least 1 character',
  });
});

it('reads an imported floor exactly, and wrapped ETH as ETH', () => {
  const line = FloorLine.parse(
    aFloor({ floor_price: '0.050000000000000007', currency: 'WETH', floor_price_usd: '150.25' }),
  );

  expect(floorIn(line)).toEqual({
    kind: 'price',
    time: instant(`${DAWN}Z`),
    price: 50_000_000_000_000_007n,
    currency: 'eth',
    usd: eth('150.25'),
    source: 'cryptopunks',
    marketplaces: [{ name: 'cryptopunks', logo: '' }],
  });
});

it.each([null, '0', '', 5, undefined])(
  'ignores the dollar price %j of an imported floor',
  (floor_price_usd) => {
    const line = FloorLine.parse(aFloor({ floor_price_usd, marketplace: undefined }));

    expect(Object.keys(floorIn(line))).toEqual(['kind', 'time', 'price', 'currency']);
  },
);

it('leaves chain and currency out of the record of a trade, and reads its time as UTC', () => {
  const trade = createTradeReader()(TradeLine.parse(aTrade()), 7);
  const { chain, payment_token, ...record } = aTrade();

  expect(trade).toEqual({
    contract: PUNKS,
    time: instant(`${DAWN}Z`),
    price: 50_000_000_000_000_007n,
    order: 7,
    position: 0,
    record,
  });
});

it.each([
  ['ETH', true],
  ['weth', true],
  [undefined, true],
  ['USDC', false],
  ['stETH', false],
])('decides whether a trade paid in %s is counted: %s', (payment_token, counts) => {
  expect(isPaidInEth(TradeLine.parse(aTrade({ payment_token })))).toBe(counts);
});

it('keeps additional members of an imported token', () => {
  const line = TokenLine.parse(aTokenLine('0007', [], { rarity_rank: 4, odd: { a: [1] } }));

  const { id, record } = tokenIn(line);

  expect(id).toBe(7n);
  expect(record).toMatchObject({ rarity_rank: 4, odd: { a: [1] } });
  expect(Object.keys(record)).not.toContain('chain');
});

const NUMBER = 5;
const TEXTS = [
  ...['owner_of', 'token_hash', 'block_number', 'block_number_minted', 'contract_type'],
  ...['token_uri', 'metadata', 'minter_address', 'last_token_uri_sync', 'last_metadata_sync'],
  ...['amount', 'name', 'symbol', 'rarity_label'],
];
const SALE_TEXTS = [
  ...['transaction_hash', 'block_timestamp', 'buyer_address', 'seller_address', 'price'],
  ...['price_formatted', 'usd_price_at_sale', 'current_usd_value', 'token_id'],
];
const MONEY_TEXTS = ['name', 'symbol', 'logo', 'decimals', 'address'].map(
  (word) => `token_${word}`,
);

describe('tokens with a member of the wrong type', () => {
  it.each<[member: string, given: object]>([
    ...TEXTS.map((member): [string, object] => [member, { [member]: NUMBER }]),
    ...SALE_TEXTS.map((member): [string, object] => [
      `last_sale.${member}`,
      { last_sale: { [member]: NUMBER } },
    ]),
    ...MONEY_TEXTS.map((member): [string, object] => [
      `last_sale.payment_token.${member}`,
      { last_sale: { payment_token: { [member]: NUMBER } } },
    ]),
    ['last_sale', { last_sale: 'today' }],
    ['last_sale.payment_token', { last_sale: { payment_token: 'ETH' } }],
    ['normalized_metadata', { normalized_metadata: NUMBER }],
    ['media', { media: [] }],
    ['possible_spam', { possible_spam: NUMBER }],
    ['verified_collection', { verified_collection: {} }],
    ['rarity_rank', { rarity_rank: '1' }],
    ['rarity_percentage', { rarity_percentage: '0.1' }],
  ])('rejects a token whose %s has the wrong type', (member, given) => {
    const { error } = TokenLine.safeParse(aTokenLine('1', [], given));

    expect(error?.issues.map(({ path }) => path.join('.'))).toEqual([member]);
  });
});

it('accepts null for every optional member of tokens, trades and floors', () => {
  const nothing = (members: readonly string[]) =>
    Object.fromEntries(members.map((member) => [member, null]));

  const token = TokenLine.safeParse(
    aTokenLine('1', [], {
      ...nothing([...TEXTS, 'normalized_metadata', 'media', 'possible_spam']),
      ...nothing(['verified_collection', 'rarity_rank', 'rarity_percentage']),
      last_sale: { ...nothing(SALE_TEXTS), payment_token: null },
    }),
  );
  const sale = TokenLine.safeParse(aTokenLine('1', [], { last_sale: null }));
  const texts = ['transaction_hash', 'transaction_index', 'block_number', 'block_hash'];
  const trade = TradeLine.parse(aTrade(nothing([...texts, 'payment_token'])));
  const floor = FloorLine.parse(aFloor({ marketplace: null, floor_price_usd: null }));
  const listed = FloorLine.parse(aFloor({ marketplace: [{ name: 'x', logo: null }] }));

  expect([token.success, sale.success]).toEqual([true, true]);
  expect(trade).toMatchObject(Object.fromEntries(texts.map((name) => [name, ''])));
  expect(isPaidInEth(trade)).toBe(true);
  expect(Object.keys(floorIn(floor))).toEqual(['kind', 'time', 'price', 'currency']);
  expect(listed.marketplace).toEqual([{ name: 'x', logo: '' }]);
});
