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

describe('one token that was sold', () => {
  it('from a listing costs all of its consideration', () => {
    expect(sold(moved, orderFulfilled(listing))).toEqual([{ ...theSale, price: eth('9.5') }]);
  });

  it('by a bid costs what was offered, of which the seller pays the fees', () => {
    expect(sold(orderFulfilled(bid), moved)).toEqual([{ ...theSale, price: eth('9') }]);
  });

  it('from a listing may be paid in WETH', () => {
    const consideration = [to(SELLER, erc20(eth('8')))];

    expect(sold(moved, orderFulfilled({ ...listing, consideration }))).toMatchObject([
      { price: eth('8') },
    ]);
  });

  it('to its only buyer is in the consideration too', () => {
    const consideration = [...listing.consideration, to(BUYER, token(address, 7n))];

    expect(sold(moved, orderFulfilled({ ...listing, consideration }))).toMatchObject([
      { price: eth('9.5') },
    ]);
  });

  it('in matched orders is sold once, for what its buyer offered', () => {
    const orders = [
      orderFulfilled({ ...listing, recipient: BOT }),
      orderFulfilled({ ...bid, recipient: BOT, offer: [erc20(eth('9.6'))] }),
    ];

    expect(sold(moved, ...orders)).toEqual([{ ...theSale, price: eth('9.6') }]);
    expect(sold(...orders.toReversed(), moved)).toEqual([{ ...theSale, price: eth('9.6') }]);
  });

  it('by matching orders for one buyer, of which the second only pays, costs the first', () => {
    const pays = { offerer: BUYER, offer: [ether(eth('9.5'))], consideration: [] };

    expect(sold(moved, orderFulfilled(listing), orderFulfilled(pays))).toEqual([
      { ...theSale, price: eth('9.5') },
    ]);
  });

  it('twice in one transaction is sold twice', () => {
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

  it('of a collection that indexes nothing is found as well', () => {
    const [, ...indexed] = moved.topics;
    const data = `0x${indexed.map((topic) => topic.slice(2)).join('')}` as const;
    const old = { ...moved, topics: moved.topics.slice(0, 1), data };

    expect(sold(old, orderFulfilled(listing))).toEqual([{ ...theSale, price: eth('9.5') }]);
  });
});

describe('several tokens', () => {
  it('of as many orders are as many sales', () => {
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

  it('that are equal cost the same, rounded up', () => {
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

  it('yields a sale for each aggregated order', () => {
    const together = transferSingle(address, SELLER, BUYER, 7n, 2n);

    expect(sold(listed('1'), listed('0.5'), together)).toEqual([
      { ...theSale, price: eth('1') },
      { ...theSale, price: eth('0.5') },
    ]);
  });

  it('yields a sale for each order in a TransferBatch', () => {
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

  it('yields at most as many sales as tokens moved', () => {
    const together = transferSingle(address, SELLER, BUYER, 7n, 2n);

    expect(sold(listed('1'), listed('0.5'), listed('0.1'), together)).toHaveLength(2);
  });

  it('costs the offer of each buyer where several bids match one listing', () => {
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

  it('yields a sale per transfer where one order moves in several', () => {
    const logs = [
      transferSingle(address, SELLER, BUYER, 7n, 1n),
      transferSingle(address, SELLER, BUYER, 7n, 2n),
    ];

    expect(sold(...logs, listed('3', 3n))).toEqual([
      { ...theSale, amount: 1n, price: eth('1') },
      { ...theSale, amount: 2n, price: eth('1') },
    ]);
  });

  it('belongs to the order with the same recipient', () => {
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

  it('yields no sale for an amount of zero', () => {
    const none = transferSingle(address, SELLER, BUYER, 7n, 0n);

    expect(sold(none, listed('1'))).toEqual([]);
  });

  it('makes the answer unreadable if a batch has more ids than amounts', () => {
    const batch = transferBatch(address, SELLER, BUYER, [
      [7n, 1n],
      [8n, 1n],
    ]);
    const last = '0'.repeat(63);
    const short = batch.data.replace(`${last}2${last}1${last}1`, `${last}1${last}1`);

    expect(sold({ ...batch, data: short as `0x${string}` }, listed('1'))).toBeUndefined();
  });
});

describe('no price of a token is in', () => {
  const usdc = (amount: bigint) => erc20(amount, USDC);
  it.each([
    ['a bundle', { ...listing, offer: [token(address, 7n), token(address, 8n)] }],
    ['a bundle with others', { ...listing, offer: [token(address, 7n), token(punks, 8n)] }],
    [
      'a bid for several',
      { ...bid, consideration: [7n, 8n].map((id) => to(BUYER, token(address, id))) },
    ],
    ['other money', { ...listing, consideration: [to(SELLER, usdc(9n))] }],
    [
      'other money beside ether',
      { ...listing, consideration: [to(SELLER, usdc(9n)), to(FEES, ether(1n))] },
    ],
    ['a bid of other money', { ...bid, offer: [usdc(9n)] }],
    [
      'a barter',
      { ...listing, consideration: [to(SELLER, token(punks, 1n)), to(FEES, ether(1n))] },
    ],
    ['a bid with a token', { ...bid, offer: [erc20(1n), token(punks, 1n)] }],
    ['a gift', { ...listing, consideration: [] }],
    ['nothing paid', { ...listing, consideration: [to(SELLER, ether(0n))] }],
    ['more than there is', { ...listing, consideration: [to(SELLER, ether(10n ** 38n))] }],
    ['another collection', { ...listing, offer: [token(punks, 7n)] }],
    ['another token than moved', { ...listing, offer: [token(address, 8n)] }],
    ['tokens of which there are none', { ...listing, offer: [edition(address, 7n, 0n)] }],
    ['an order of which nothing moved', { ...listing, offerer: BOT }],
    ['a bid of which nothing moved', { ...bid, consideration: [to(BOT, token(address, 7n))] }],
    ['another contract with the event', { ...listing, marketplace: BLUR_POOL } as const],
  ])('%s', (_, order) => {
    expect(sold(moved, orderFulfilled(order))).toEqual([]);
  });

  it('what moved without an order, was made or was destroyed', () => {
    const nobody = `0x${'0'.repeat(40)}` as const;
    const logs = [
      moved,
      transfer(address, nobody, SELLER, 7n),
      transfer(address, SELLER, nobody, 7n),
    ];

    expect(sold(...logs, orderFulfilled({ ...listing, offerer: nobody }))).toEqual([]);
  });
});

it('logs that cannot be read may report the lowest sale, so there is no answer', () => {
  const order = orderFulfilled(listing);
  const cut = { ...order, data: `0x${order.data.slice(2, -64)}` as const };
  const endless = order.data.slice(2).replace(/^(.{128}).{64}/, `$1${'f'.repeat(64)}`);

  expect(sold(moved, cut)).toBeUndefined();
  expect(sold(moved, { ...order, data: `0x${endless}` })).toBeUndefined();
  expect(sold(moved, { ...order, data: '0x' })).toBeUndefined();
  expect(sold({ ...moved, topics: moved.topics.slice(0, 2) })).toBeUndefined();
});

it('transfers are asked for by the hashes of their signatures', () => {
  expect(TRANSFER_TOPICS).toEqual(ABI.slice(0, 3).map((event) => toEventSelector(event)));
});
