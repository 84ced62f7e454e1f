import { addressIn, arrayAt, splitWords } from './abi.ts';
import type { Log } from './answers.ts';

/** A transfer of tokens with one id. The amount of an ERC-721 is 1. */
export type Transfer = {
  readonly from: string;
  readonly to: string;
  readonly tokenId: bigint;
  readonly amount: bigint;
};

/* Hashes of event signatures, by which nodes index logs. */
/** `Transfer(address,address,uint256)` of ERC-721. */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
/** `TransferSingle(address,address,address,uint256,uint256)` of ERC-1155. */
const TRANSFER_SINGLE = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62';
/** `TransferBatch(address,address,address,uint256[],uint256[])` of ERC-1155. */
const TRANSFER_BATCH = '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb';

export const TRANSFER_TOPICS = [TRANSFER, TRANSFER_SINGLE, TRANSFER_BATCH];

const NOBODY = '0x0000000000000000000000000000000000000000';

/** The transfers between owners in a log of a collection; undefined for a malformed log. */
export function transfersIn({ topics, data }: Log): readonly Transfer[] | undefined {
  const [event = '', ...indexed] = topics;
  if (!TRANSFER_TOPICS.includes(event)) return [];
  const words = splitWords(data);
  if (words === undefined) return undefined;
  // The oldest collections emit events without indexed members, and others index all members.
  const members = [...indexed.map(BigInt), ...words];
  const [given, taken, tokenId, amount] = event === TRANSFER ? members : members.slice(1);
  const from = addressIn(given);
  const to = addressIn(taken);
  const moved =
    event === TRANSFER_BATCH
      ? batchIn(words, 3 - indexed.length)
      : tokensOf([tokenId], [event === TRANSFER ? 1n : amount]);
  if (from === undefined || to === undefined || moved === undefined) return undefined;
  // Minting and burning are not transfers between owners.
  if (from === NOBODY || to === NOBODY) return [];
  return moved.filter((tokens) => tokens.amount > 0n).map((tokens) => ({ from, to, ...tokens }));
}

type Tokens = Pick<Transfer, 'tokenId' | 'amount'>;

/**
 * The tokens of a batch. The words from `head` on are the offsets of two arrays: the ids and the
 * amounts of the tokens.
 */
function batchIn(words: readonly bigint[], head: number): readonly Tokens[] | undefined {
  const ids = arrayAt(words, head, 1);
  const amounts = arrayAt(words, head + 1, 1);
  return ids && amounts && tokensOf(ids.flat(), amounts.flat());
}

function tokensOf(
  ids: readonly (bigint | undefined)[],
  amounts: readonly (bigint | undefined)[],
): readonly Tokens[] | undefined {
  const tokens = ids.flatMap((tokenId, index) => {
    const amount = amounts[index];
    return tokenId === undefined || amount === undefined ? [] : [{ tokenId, amount }];
  });
  return tokens.length === ids.length && ids.length === amounts.length ? tokens : undefined;
}
