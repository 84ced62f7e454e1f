import * as z from 'zod';
import { ContractKey } from '#shared/domain/market/contract.ts';
import type { Outgoing } from './outgoing.ts';

/**
 * The present number of minutes between two polls of the contract. Data are late if they are older
 * than two such intervals plus the provider's delay.
 */
const Cadence = z.int().min(1);

/** Work on one contract. The messages of a contract are processed one by one, in order. */
export const ContractMessage = z.discriminatedUnion('kind', [
  /**
   * Evaluates the recorded steps and the due timers. An evaluation that runs out of time sends the
   * next message, with the position at which it stopped in `from`.
   */
  z.object({
    kind: z.literal('evaluate'),
    contract: ContractKey,
    cadenceMinutes: Cadence,
    from: z
      .object({
        upTo: z.int(),
        place: z.string(),
        after: z.object({ sk: z.string(), position: z.string() }).optional(),
      })
      .optional(),
  }),
  /** Updates a list's watches on the contract after a change of the list. */
  z.object({
    kind: z.literal('apply'),
    contract: ContractKey,
    tenant: z.string(),
    list: z.string(),
  }),
]);
export type ContractMessage = z.output<typeof ContractMessage>;
/** A message in the form in which it is sent. */
export type SentContractMessage = z.input<typeof ContractMessage>;
export type EvaluateMessage = Extract<ContractMessage, { kind: 'evaluate' }>;
export type ApplyMessage = Extract<ContractMessage, { kind: 'apply' }>;

/** The messages that apply a list to contracts. SQS drops repeated messages of the same attempt. */
export function applyMessages(
  { tenant, id: list }: { readonly tenant: string; readonly id: string },
  contracts: readonly ContractKey[],
  attempt: number,
): readonly Outgoing<SentContractMessage>[] {
  return contracts.map((contract) => ({
    message: { kind: 'apply', contract, tenant, list },
    deduplication: `${tenant} ${list} ${attempt} ${contract}`,
  }));
}
