import { numberToHex, pad, toEventSelector } from 'viem';
import { describe, expect, it } from 'vitest';
import { contractOf } from '#shared/domain/market/contract.ts';
import { Log } from '#shared/providers/ethereum-node/answers.ts';
import { salesIn } from '#shared/providers/ethereum-node/seaport.ts';
import { TRANSFER_TOPICS } from '#shared/providers/ethereum-node/transfers.ts';
import { APES, eth, PUNKS } from '#test/support/builders.ts';
import {
  ABI,
  BOT,
  BUYER,
  type EventLog,
  edition,
  erc20,
  ether,
  FEES,
  orderFulfilled,
  SEAPORT_1_6,
  SELLER,
  to,
  token,
  transfer,
  transferBatch,
  transferSingle,
} from '#test/support/ethereum-node/event-logs.ts';

const apes = contractOf(APES);
const { address } = apes;
const { address: punks } = contractOf(PUNKS);
const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const BLUR_POOL = '0x0000000000a39bb272e79075ade125fd351887ac';

const sold = (...logs: readonly EventLog[]) => salesIn(logs.map(written), apes);

function written(log: EventLog): Log {
  const place = { blockNumber: '0x1', blockHash: hash(1), transactionHash: hash(2) };
  return Log.parse({ ...log, ...place });
}
const hash = (number: number) => pad(numberToHex(number), { size: 32 });

const moved = transfer(address, SELLER, BUYER, 7n);
const listing = {
  offerer: SELLER,
  recipient: BUYER,
  offer: [token(address, 7n)],
  consideration: [to(SELLER, ether(eth('9.25'))), to(FEES, ether(eth('0.25')))],
};
const bid = {
  offerer: BUYER,
  recipient: SELLER,
  offer: [erc20(eth('9'))],
  consideration: [to(BUYER, token(address, 7n)), to(FEES, erc20(eth('0.2')))],
};
const theSale = { from: SELLER, to: BUYER, tokenId: 7n, amount: 1n, marketplace: SEAPORT_1_6 };

describe('the sale of one token', () => {
  it('the price of a listing is its whole consideration', () => {
    expect(sold(moved, orderFulfilled(listing))).toEqual([{ ...theSale, price: eth('9.5') }]);
  });

  it('the price of a bid is the offered amount, from which the seller pays the fees', () => {
    expect(sold(orderFulfilled(bid), moved)).toEqual([{ ...theSale, price: eth('9') }]);
  });

  it('a listing may be paid in WETH', () => {
    const consideration = [to(SELLER, erc20(eth('8')))];

    expect(sold(moved, orderFulfilled({ ...listing, consideration }))).toMatchObject([
      { price: eth('8') },
    ]);
  });

  it('the price of a private listing excludes the token in its consideration', () => {
    const consideration = [...listing.consideration, to(BUYER, token(address, 7n))];

    expect(sold(moved, orderFulfilled({ ...listing, consideration }))).toMatchObject([
      { price: eth('9.5') },
    ]);
  });

  it('matched orders are one sale, at the price that the buyer offered', () => {
    const orders = [
      orderFulfilled({ ...listing, recipient: BOT }),
      orderFulfilled({ ...bid, recipient: BOT, offer: [erc20(eth('9.6'))] }),
    ];

    expect(sold(moved, ...orders)).toEqual([{ ...theSale, price: eth('9.6') }]);
    expect(sold(...orders.toReversed(), moved)).toEqual([{ ...theSale, price: eth('9.6') }]);
  });

  it('a listing that is matched with an order without a token is sold at the price of the listing', () => {
    const pays = { offerer: BUYER, offer: [ether(eth('9.5'))], consideration: [] };

    expect(sold(moved, orderFulfilled(listing), orderFulfilled(pays))).toEqual([
      { ...theSale, price: eth('9.5') },
    ]);
  });

  it('a token that is sold twice in one transaction yields two sales', () => {
    const logs = [
      transfer(address, SELLER, BOT, 7n),
      orderFulfilled({ ...listing, recipient: BOT }),
      transfer(address, BOT, BUYER, 7n),
      orderFulfilled({ ...bid, recipient: BOT, offer: [erc20(eth('10'))] }),
    ];

    expect(sold(...logs)).toMatchObject([
      { from: BOT, to: BUYER, price: eth('10') },
      { from: SELLER, to: BOT, price: eth('9.5') },
    ]);
  });

  it('a transfer without indexed arguments is also found', () => {
    const [, ...indexed] = moved.topics;
    const data = `0x${indexed.map((topic) => topic.slice(2)).join('')}` as const;
    const old = { ...moved, topics: moved.topics.slice(0, 1), data };

    expect(sold(old, orderFulfilled(listing))).toEqual([{ ...theSale, price: eth('9.5') }]);
  });
});

describe('the sale of several tokens', () => {
  it('several orders yield one sale each', () => {
    const second = {
      ...listing,
      offer: [token(address, 8n)],
      consideration: [to(SELLER, ether(5n))],
    };
    const logs = [moved, transfer(address, SELLER, BUYER, 8n)];

    expect(sold(...logs, orderFulfilled(listing), orderFulfilled(second))).toMatchObject([
      { tokenId: 7n, price: eth('9.5') },
      { tokenId: 8n, price: 5n },
    ]);
  });

  it('the tokens of an edition have the same price, rounded up', () => {
    const offer = [edition(address, 7n, 3n)];
    const consideration = [to(SELLER, ether(10n))];
    const logs = [transferSingle(address, SELLER, BUYER, 7n, 3n)];

    expect(sold(...logs, orderFulfilled({ ...listing, offer, consideration }))).toEqual([
      { ...theSale, amount: 3n, price: 4n },
    ]);
  });
});

describe('one ERC-1155 transfer for several orders', () => {
  const listed = (price: string, amount = 1n, tokenId = 7n) =>
    orderFulfilled({
      ...listing,
      offer: [edition(address, tokenId, amount)],
      consideration: [to(SELLER, ether(eth(price)))],
    });
  const wanted = (buyer: typeof BUYER, price: string, amount: bigint) =>
    orderFulfilled({
      ...{ offerer: buyer, recipient: BOT, offer: [erc20(eth(price))] },
      consideration: [to(buyer, edition(address, 7n, amount))],
    });

  it('an ERC-1155 transfer yields a sale for each aggregated order', () => {
    const together = transferSingle(address, SELLER, BUYER, 7n, 2n);

    expect(sold(listed('1'), listed('0.5'), together)).toEqual([
      { ...theSale, price: eth('1') },
      { ...theSale, price: eth('0.5') },
    ]);
  });

  it('a TransferBatch yields a sale for each order', () => {
    const batch = transferBatch(address, SELLER, BUYER, [
      [7n, 3n],
      [8n, 1n],
    ]);

    expect(sold(listed('1', 2n), listed('3', 1n, 8n), listed('0.4'), batch)).toEqual([
      { ...theSale, amount: 2n, price: eth('0.5') },
      { ...theSale, tokenId: 8n, price: eth('3') },
      { ...theSale, price: eth('0.4') },
    ]);
  });

  it('a transfer yields at most one sale for each moved token', () => {
    const together = transferSingle(address, SELLER, BUYER, 7n, 2n);

    expect(sold(listed('1'), listed('0.5'), listed('0.1'), together)).toHaveLength(2);
  });

  it('several bids that match one listing yield a sale each, at the price of the bid', () => {
    const logs = [
      transferSingle(address, SELLER, BUYER, 7n, 2n),
      transferSingle(address, SELLER, BOT, 7n, 3n),
    ];

    const sales = sold(...logs, listed('5', 5n), wanted(BUYER, '2.2', 2n), wanted(BOT, '3.6', 3n));

    expect(sales).toEqual([
      { ...theSale, amount: 2n, price: eth('1.1') },
      { ...theSale, to: BOT, amount: 3n, price: eth('1.2') },
    ]);
  });

  it('an order with several transfers yields a sale for each', () => {
    const logs = [
      transferSingle(address, SELLER, BUYER, 7n, 1n),
      transferSingle(address, SELLER, BUYER, 7n, 2n),
    ];

    expect(sold(...logs, listed('3', 3n))).toEqual([
      { ...theSale, amount: 1n, price: eth('1') },
      { ...theSale, amount: 2n, price: eth('1') },
    ]);
  });

  it('a transfer belongs to the order with the same recipient', () => {
    const logs = [
      transferSingle(address, SELLER, BOT, 7n, 1n),
      transferSingle(address, SELLER, BUYER, 7n, 1n),
    ];
    const ofBot = orderFulfilled({
      ...{ ...listing, recipient: BOT, offer: [edition(address, 7n, 1n)] },
      consideration: [to(SELLER, ether(eth('2')))],
    });

    expect(sold(...logs, listed('1'), ofBot)).toEqual([
      { ...theSale, price: eth('1') },
      { ...theSale, to: BOT, price: eth('2') },
    ]);
  });

  it('a transfer of the amount zero yields no sale', () => {
    const none = transferSingle(address, SELLER, BUYER, 7n, 0n);

    expect(sold(none, listed('1'))).toEqual([]);
  });

  it('a batch with more ids than amounts makes the answer unreadable', () => {
    const batch = transferBatch(address, SELLER, BUYER, [
      [7n, 1n],
      [8n, 1n],
    ]);
    const last = '0'.repeat(63);
    const short = batch.data.replace(`${last}2${last}1${last}1`, `${last}1${last}1`);

    expect(sold({ ...batch, data: short as `0x${string}` }, listed('1'))).toBeUndefined();
  });
});

describe('orders without a price for one token', () => {
  const usdc = (amount: bigint) => erc20(amount, USDC);
  it.each([
    ['a bundle', { ...listing, offer: [token(address, 7n), token(address, 8n)] }],
    [
      'a bundle with tokens of another collection',
      { ...listing, offer: [token(address, 7n), token(punks, 8n)] },
    ],
    [
      'a bid for several tokens',
      { ...bid, consideration: [7n, 8n].map((id) => to(BUYER, token(address, id))) },
    ],
    ['another currency', { ...listing, consideration: [to(SELLER, usdc(9n))] }],
    [
      'another currency together with ether',
      { ...listing, consideration: [to(SELLER, usdc(9n)), to(FEES, ether(1n))] },
    ],
    ['a bid in another currency', { ...bid, offer: [usdc(9n)] }],
    ['a swap', { ...listing, consideration: [to(SELLER, token(punks, 1n)), to(FEES, ether(1n))] }],
    ['a bid that includes a token', { ...bid, offer: [erc20(1n), token(punks, 1n)] }],
    ['a gift', { ...listing, consideration: [] }],
    ['a price of zero', { ...listing, consideration: [to(SELLER, ether(0n))] }],
    [
      'a price beyond the supply of ether',
      { ...listing, consideration: [to(SELLER, ether(10n ** 38n))] },
    ],
    ['another collection', { ...listing, offer: [token(punks, 7n)] }],
    ['a token that was not transferred', { ...listing, offer: [token(address, 8n)] }],
    ['an amount of zero tokens', { ...listing, offer: [edition(address, 7n, 0n)] }],
    ['a listing without a transfer', { ...listing, offerer: BOT }],
    ['a bid without a transfer', { ...bid, consideration: [to(BOT, token(address, 7n))] }],
    ['the same event of another contract', { ...listing, marketplace: BLUR_POOL } as const],
  ])('yields no sale for %s', (_, order) => {
    expect(sold(moved, orderFulfilled(order))).toEqual([]);
  });

  it('yields no sale for a transfer without an order, a mint or a burn', () => {
    const nobody = `0x${'0'.repeat(40)}` as const;
    const logs = [
      moved,
      transfer(address, nobody, SELLER, 7n),
      transfer(address, SELLER, nobody, 7n),
    ];

    expect(sold(...logs, orderFulfilled({ ...listing, offerer: nobody }))).toEqual([]);
  });
});

it('returns no answer if a log is unreadable, because the log could be the lowest sale', () => {
  const order = orderFulfilled(listing);
  const cut = { ...order, data: `0x${order.data.slice(2, -64)}` as const };
  const endless = order.data.slice(2).replace(/^(.{128}).{64}/, `$1${'f'.repeat(64)}`);

  expect(sold(moved, cut)).toBeUndefined();
  expect(sold(moved, { ...order, data: `0x${endless}` })).toBeUndefined();
  expect(sold(moved, { ...order, data: '0x' })).toBeUndefined();
  expect(sold({ ...moved, topics: moved.topics.slice(0, 2) })).toBeUndefined();
});

it('filters logs by the hashes of the transfer signatures', () => {
  expect(TRANSFER_TOPICS).toEqual(ABI.slice(0, 3).map((event) => toEventSelector(event)));
});
