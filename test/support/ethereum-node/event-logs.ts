import {
  type Address,
  encodeAbiParameters,
  encodeEventTopics,
  type Hex,
  parseAbi,
  parseAbiParameters,
  zeroAddress,
} from 'viem';

/** A log of a transaction, encoded by viem. */
export type EventLog = {
  readonly address: Address;
  readonly topics: readonly Hex[];
  readonly data: Hex;
};

/** Source: EIP-721, EIP-1155 and `ConsiderationEventsAndErrors.sol` of Seaport 1.6. */
export const ABI = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)',
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
  'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
  'struct SpentItem { uint8 itemType; address token; uint256 identifier; uint256 amount; }',
  'struct ReceivedItem { uint8 itemType; address token; uint256 identifier; uint256 amount; address recipient; }',
  'event OrderFulfilled(bytes32 orderHash, address indexed offerer, address indexed zone, address recipient, SpentItem[] offer, ReceivedItem[] consideration)',
]);
const [, , , ORDER] = ABI;

export const SEAPORT_1_6: Address = '0x0000000000000068f116a894984e2db1123eb395';
const WETH: Address = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2';

export const [SELLER, BUYER, BOT, FEES] = [1, 2, 3, 4].map(
  (last): Address => `0x${'a'.repeat(39)}${last}`,
) as [Address, Address, Address, Address];

export type SpentItem = {
  readonly itemType: number;
  readonly token: Address;
  readonly identifier: bigint;
  readonly amount: bigint;
};

export const ether = (amount: bigint): SpentItem => ({
  ...{ itemType: 0, token: zeroAddress, identifier: 0n, amount },
});
export const erc20 = (amount: bigint, token: Address = WETH): SpentItem => ({
  ...{ itemType: 1, token, identifier: 0n, amount },
});
export const token = (contract: Address, identifier: bigint): SpentItem => ({
  ...{ itemType: 2, token: contract, identifier, amount: 1n },
});
export const edition = (contract: Address, identifier: bigint, amount: bigint): SpentItem => ({
  ...{ itemType: 3, token: contract, identifier, amount },
});

export const to = (recipient: Address, item: SpentItem) => ({ ...item, recipient });

export function transfer(
  contract: Address,
  from: Address,
  owner: Address,
  tokenId: bigint,
): EventLog {
  const args = { from, to: owner, tokenId };
  const topics = encodeEventTopics({ abi: ABI, eventName: 'Transfer', args });
  return { address: contract, topics: topics as Hex[], data: '0x' };
}

export function transferSingle(
  contract: Address,
  from: Address,
  owner: Address,
  id: bigint,
  value: bigint,
): EventLog {
  const args = { operator: BOT, from, to: owner };
  const topics = encodeEventTopics({ abi: ABI, eventName: 'TransferSingle', args });
  const data = encodeAbiParameters(parseAbiParameters('uint256, uint256'), [id, value]);
  return { address: contract, topics: topics as Hex[], data };
}

export function transferBatch(
  contract: Address,
  from: Address,
  owner: Address,
  amounts: readonly (readonly [id: bigint, value: bigint])[],
): EventLog {
  const args = { operator: BOT, from, to: owner };
  const topics = encodeEventTopics({ abi: ABI, eventName: 'TransferBatch', args });
  const data = encodeAbiParameters(parseAbiParameters('uint256[], uint256[]'), [
    amounts.map(([id]) => id),
    amounts.map(([, value]) => value),
  ]);
  return { address: contract, topics: topics as Hex[], data };
}

export function orderFulfilled({
  marketplace = SEAPORT_1_6,
  offerer,
  recipient = zeroAddress,
  offer,
  consideration,
}: {
  readonly marketplace?: Address;
  readonly offerer: Address;
  readonly recipient?: Address;
  readonly offer: readonly SpentItem[];
  readonly consideration: readonly ReturnType<typeof to>[];
}): EventLog {
  const args = { offerer, zone: zeroAddress };
  const topics = encodeEventTopics({ abi: ABI, eventName: 'OrderFulfilled', args });
  const unindexed = ORDER.inputs.filter((input) => !('indexed' in input));
  const data = encodeAbiParameters(unindexed, [
    `0x${'0f'.repeat(32)}`,
    recipient,
    offer,
    consideration,
  ] as never);
  return { address: marketplace, topics: topics as Hex[], data };
}
