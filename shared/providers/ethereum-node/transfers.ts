import { addressIn, arrayAt, wordsOf } from './abi.ts';
import type { Log } from './answers.ts';

/** Some of a token that changed hands. */
export type Transfer = {
  readonly from: string;
  readonly to: string;
  readonly tokenId: bigint;
};

/*
 * Hashes of the signatures of events, by which nodes find their logs.
 */
/** `Transfer(address,address,uint256)` of ERC-721. */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
/** `TransferSingle(address,address,address,uint256,uint256)` of ERC-1155. */
const TRANSFER_SINGLE = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62';
/** `TransferBatch(address,address,address,uint256[],uint256[])` of ERC-1155. */
const TRANSFER_BATCH = '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb';

export const TRANSFER_TOPICS = [TRANSFER, TRANSFER_SINGLE, TRANSFER_BATCH];

const NOBODY = '0x0000000000000000000000000000000000000000';

/** What a log of a collection moved from one owner to another; undefined where it cannot be read. */
export function transfersIn({ topics, data }: Log): readonly Transfer[] | undefined {
  const body = wordsOf(data);
  if (body === undefined) return undefined;
  const [event = '', ...indexed] = topics;
  const head = indexed.map(BigInt);
  switch (event) {
    case TRANSFER: {
      // The oldest collections index none of the three, others all.
      const [from, to, tokenId] = [...head, ...body];
      return transfersOf(from, to, [tokenId]);
    }
    case TRANSFER_SINGLE: {
      const [, from, to] = head;
      return transfersOf(from, to, [body[0]]);
    }
    case TRANSFER_BATCH: {
      const [, from, to] = head;
      return transfersOf(from, to, arrayAt(body, 0, 1)?.flat() ?? [undefined]);
    }
    default:
      return [];
  }
}

function transfersOf(
  given: bigint | undefined,
  taken: bigint | undefined,
  tokenIds: readonly (bigint | undefined)[],
): readonly Transfer[] | undefined {
  const from = addressIn(given);
  const to = addressIn(taken);
  if (from === undefined || to === undefined) return undefined;
  const transfers: Transfer[] = [];
  for (const tokenId of tokenIds) {
    if (tokenId === undefined) return undefined;
    transfers.push({ from, to, tokenId });
  }
  // What is made or destroyed has no second owner.
  return from === NOBODY || to === NOBODY ? [] : transfers;
}
