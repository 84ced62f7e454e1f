import * as z from 'zod';
import { ContractKey } from '#shared/domain/market/contract.ts';

/** One episode of a watch. */
const EPISODE = {
  rule: z.string(),
  contract: ContractKey,
  generation: z.int(),
  episode: z.int(),
};

/** Something to be done for one watchlist, in order. */
export const ListMessage = z.discriminatedUnion('kind', [
  /** The list is to be applied to the contracts of its job. */
  z.object({ kind: z.literal('apply'), tenant: z.string(), list: z.string() }),
  /** Each endpoint of the list needs its topic and its subscription. */
  z.object({ kind: z.literal('topic'), tenant: z.string(), list: z.string() }),
  /** A rule may have come to its end. */
  z.object({
    kind: z.literal('expiry'),
    tenant: z.string(),
    list: z.string(),
    rule: z.string(),
    end: z.int(),
  }),
  /** A mute was lifted early: what it has held may be sent. */
  z.object({ kind: z.literal('unmute'), tenant: z.string(), list: z.string() }),
  /** People are to get a report of the list. */
  z.object({ kind: z.literal('report'), tenant: z.string(), list: z.string() }),
  /** The list is to have the collections of its wallet. */
  z.object({ kind: z.literal('wallet'), tenant: z.string(), list: z.string() }),
  /** An episode is acknowledged, which its messages are to say. */
  z.object({
    kind: z.literal('acknowledgement'),
    tenant: z.string(),
    list: z.string(),
    ...EPISODE,
  }),
  /** An episode is to be acknowledged by now, or others learn of it. */
  z.object({ kind: z.literal('escalation'), tenant: z.string(), list: z.string(), ...EPISODE }),
]);
export type ListMessage = z.output<typeof ListMessage>;
