import { addressIn, wordsOf } from './abi.ts';
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
/** `TransferSingle(address,address,address,uint256,uint256)` of ERC-1155; Seaport moves none in batches. */
const TRANSFER_SINGLE = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62';

export const TRANSFER_TOPICS = [TRANSFER, TRANSFER_SINGLE];

const NOBODY = '0x0000000000000000000000000000000000000000';

/**
 * What a log of a collection moved from one owner to another: one transfer or none; undefined where it
 * cannot be read.
 */
export function transfersIn({ topics, data }: Log): readonly Transfer[] | undefined {
  const [event = '', ...indexed] = topics;
  if (!TRANSFER_TOPICS.includes(event)) return [];
  // The oldest collections index none of the members, others all.
  const members = [...indexed.map(BigInt), ...(wordsOf(data) ?? [])];
  const [given, taken, tokenId] = event === TRANSFER ? members : members.slice(1);
  const from = addressIn(given);
  const to = addressIn(taken);
  if (from === undefined || to === undefined || tokenId === undefined) return undefined;
  // What is made or destroyed has no second owner.
  return from === NOBODY || to === NOBODY ? [] : [{ from, to, tokenId }];
}
