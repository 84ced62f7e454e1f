import * as z from 'zod';
import { SECOND } from '#shared/domain/market/instant.ts';

/* Answers of nodes according to the Ethereum JSON-RPC specification (ethereum/execution-apis). */

const Hex = z
  .string()
  .regex(/^0x[0-9a-f]*$/i)
  .toLowerCase();
const Hash = Hex.length(66);
const Address = Hex.length(42);
const BlockNumber = z
  .string()
  .regex(/^0x[0-9a-f]{1,13}$/i)
  .transform(Number);
const Time = BlockNumber.transform((seconds) => seconds * SECOND);

export const ChainId = z.string();

export const Block = z.lazy(() => z.object({ number: BlockNumber, timestamp: Time }));
export type Block = z.output<typeof Block>;

export const Log = z.lazy(() =>
  z.object({
    address: Address,
    topics: z.array(Hash),
    data: Hex,
    blockNumber: BlockNumber,
    blockHash: Hash,
    transactionHash: Hash,
    /** Nodes have included this member since 2025. */
    blockTimestamp: Time.optional().catch(undefined),
  }),
);
export type Log = z.output<typeof Log>;

export const Logs = z.array(Log);

/** Null if the node does not have the transaction yet. */
export const Receipt = z.lazy(() => z.object({ logs: Logs }).nullable());
