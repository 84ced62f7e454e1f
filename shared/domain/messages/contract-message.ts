import * as z from 'zod';
import { ContractKey } from '#shared/domain/market/contract.ts';
import type { Outgoing } from './outgoing.ts';

/** The minutes between two polls that are in force: what is older than twice that is late. */
const Cadence = z.int().min(1);

/** Something to be done for one contract; all of a contract's are handled one by one, in order. */
export const ContractMessage = z.discriminatedUnion('kind', [
  /**
   * Evaluate the recorded steps and the timers that are due. An evaluation that ran out of time sends
   * the place where it stopped as `from`.
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
  /** Bring a list's watches on the contract in line with its document. */
  z.object({
    kind: z.literal('apply'),
    contract: ContractKey,
    tenant: z.string(),
    list: z.string(),
  }),
]);
export type ContractMessage = z.output<typeof ContractMessage>;
/** The form in which a message travels. */
export type SentContractMessage = z.input<typeof ContractMessage>;
export type EvaluateMessage = Extract<ContractMessage, { kind: 'evaluate' }>;
export type ApplyMessage = Extract<ContractMessage, { kind: 'apply' }>;

/** The messages that apply a list to contracts. Messages of one attempt are accepted once. */
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
