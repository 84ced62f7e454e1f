import type { Contract } from '#shared/domain/market/contract.ts';
import { isPrice, moneyPaid } from '#shared/providers/prices.ts';
import { addressIn, arrayAt, splitWords } from './abi.ts';
import type { Log } from './answers.ts';
import { type Transfer, transfersIn } from './transfers.ts';

/** Tokens of the collection that were sold through an order, with their seller and buyer. */
export type TokenSale = Transfer & {
  /** The price of one token in wei, as paid by the buyer. */
  readonly price: bigint;
  readonly marketplace: string;
};

/** Seaport 1.1 to 1.6. Source: github.com/ProjectOpenSea/seaport, "Deployments". */
const SEAPORTS: ReadonlySet<string> = new Set([
  '0x00000000006c3852cbef3e08e8df289169ede581',
  '0x00000000000006c7676171937c444f6bde3d6282',
  '0x0000000000000ad24e80fd803c6ac37206a45f15',
  '0x00000000000001ad428e4906ae43d8f9852d0dd6',
  '0x00000000000000adc04c56bf30ac9d3c0aaf14dc',
  '0x0000000000000068f116a894984e2db1123eb395',
]);

/**
 * The hash of `OrderFulfilled(bytes32 orderHash, address indexed offerer, address indexed zone,
 * address recipient, SpentItem[] offer, ReceivedItem[] consideration)`.
 */
const ORDER_FULFILLED = '0x9d9af8e38d66c62e2c12f0225249fd9d721c54b83f48d9352c97c6cacdcb6f31';

/** Seaport's `ItemType`. In events, items with criteria have the type ERC-721 or ERC-1155. */
const NATIVE = 0n;
const ERC20 = 1n;

/** An item of an order; only items of the consideration have a `recipient`. */
type Item = {
  readonly type: bigint;
  readonly token: string;
  readonly tokenId: bigint;
  readonly amount: bigint;
  readonly recipient: string | undefined;
};

type Order = {
  readonly marketplace: string;
  readonly offerer: string;
  /** Recipient of the offered tokens; in matched orders the tokens may go to another owner. */
  readonly recipient: string | undefined;
  readonly offer: readonly Item[];
  readonly consideration: readonly Item[];
};

/**
 * The sales of a collection's tokens for ether in the logs of a transaction. Undefined if a log is
 * unreadable, because that log could contain the lowest sale.
 *
 * A sale is a transfer that an order requires. Seaport moves equal tokens of several orders in one
 * transfer, so each order is allotted its amount from the transfers that match it. If two orders
 * were matched with each other, both require the same transfer. This transfer counts once, with the
 * price that the buyer offered.
 */
export function salesIn(logs: readonly Log[], contract: Contract): TokenSale[] | undefined {
  const transfers: Transfer[] = [];
  const orders: Order[] = [];
  for (const log of logs) {
    const moved = log.address === contract.address ? transfersIn(log) : [];
    const filled = isFulfilled(log) ? [orderIn(log)] : [];
    if (moved === undefined || filled.includes(undefined)) return undefined;
    transfers.push(...moved);
    orders.push(...filled.flatMap((order) => order ?? []));
  }
  const asked = [
    ...orders.flatMap((order) => bidOf(order, contract)),
    ...orders.flatMap((order) => listingOf(order, contract)),
  ];
  const left = new Map(transfers.map((transfer) => [transfer, transfer.amount]));
  return asked.flatMap((sale) => takeTransfers(sale, left));
}

/** Allots transferred tokens to an order, and prefers transfers to the recipient of the order. */
function takeTransfers(
  { price, amount, marketplace, recipient, isTransfer }: AskedSale,
  left: Map<Transfer, bigint>,
): TokenSale[] {
  const sales: TokenSale[] = [];
  const matching = [...left.keys()]
    .filter(isTransfer)
    .toSorted((one, other) => Number(other.to === recipient) - Number(one.to === recipient));
  let wanted = amount;
  for (const transfer of matching) {
    const available = left.get(transfer) ?? 0n;
    const taken = available < wanted ? available : wanted;
    if (taken === 0n) continue;
    wanted -= taken;
    left.set(transfer, available - taken);
    sales.push({ ...transfer, amount: taken, price, marketplace });
  }
  return sales;
}

function isFulfilled({ address, topics }: Log): boolean {
  return SEAPORTS.has(address) && topics[0] === ORDER_FULFILLED;
}

function orderIn({ address: marketplace, topics, data }: Log): Order | undefined {
  const words = splitWords(data);
  const offerer = addressIn(topics[1] === undefined ? undefined : BigInt(topics[1]));
  const recipient = addressIn(words?.[1]);
  const offer = words && itemsOf(arrayAt(words, 2, 4));
  const consideration = words && itemsOf(arrayAt(words, 3, 5));
  if (offerer === undefined || offer === undefined || consideration === undefined) return undefined;
  return { marketplace, offerer, recipient, offer, consideration };
}

function itemsOf(tuples: readonly (readonly bigint[])[] | undefined): readonly Item[] | undefined {
  const items: Item[] = [];
  for (const [type, address, tokenId, amount, recipient] of tuples ?? []) {
    const token = addressIn(address);
    if (type === undefined || tokenId === undefined || amount === undefined) return undefined;
    if (token === undefined) return undefined;
    items.push({ type, token, tokenId, amount, recipient: addressIn(recipient) });
  }
  return tuples && items;
}

/** The equal tokens of an order with their price per token. */
type AskedSale = {
  readonly price: bigint;
  readonly amount: bigint;
  readonly recipient: string | undefined;
  readonly marketplace: string;
  readonly isTransfer: (transfer: Transfer) => boolean;
};

/** A fulfilled listing of one token. Its consideration is the total that the buyer pays. */
function listingOf(order: Order, contract: Contract): AskedSale[] {
  const { marketplace, offerer, recipient, offer, consideration } = order;
  const [token, ...others] = offer;
  if (token === undefined || others.length > 0 || !isOf(contract, token)) return [];
  // A private listing also has the token in its consideration, for its only buyer.
  const paid = consideration.filter((item) => !isSame(item, token));
  const price = priceOf(paid, token, contract);
  if (price === undefined) return [];
  const isTransfer = ({ from, tokenId }: Transfer) => from === offerer && tokenId === token.tokenId;
  return [{ price, amount: token.amount, marketplace, recipient, isTransfer }];
}

/** A fulfilled bid for one token. The seller pays fees from the offered amount. */
function bidOf({ marketplace, offer, consideration }: Order, contract: Contract): AskedSale[] {
  const [token, ...others] = consideration.filter((item) => !isMoney(item));
  if (token === undefined || others.length > 0 || !isOf(contract, token)) return [];
  const price = priceOf(offer, token, contract);
  if (price === undefined) return [];
  const { recipient, amount } = token;
  const isTransfer = ({ to, tokenId }: Transfer) => to === recipient && tokenId === token.tokenId;
  return [{ price, amount, marketplace, recipient, isTransfer }];
}

function isMoney({ type }: Item): boolean {
  return type === NATIVE || type === ERC20;
}

function isOf({ address }: Contract, item: Item): boolean {
  return !isMoney(item) && item.token === address && item.amount > 0n;
}

function isSame(one: Item, other: Item): boolean {
  return one.type === other.type && one.token === other.token && one.tokenId === other.tokenId;
}

/** The price of one of several equal tokens in whole wei, rounded up. */
function priceOf(paid: readonly Item[], { amount }: Item, { chain }: Contract): bigint | undefined {
  const isEther = (item: Item) =>
    isMoney(item) &&
    moneyPaid({ symbol: undefined, address: item.token, decimals: undefined }, chain) === 'eth';
  if (!paid.every(isEther)) return undefined;
  const sum = paid.reduce((total, item) => total + item.amount, 0n);
  const price = (sum + amount - 1n) / amount;
  return isPrice(price) ? price : undefined;
}
