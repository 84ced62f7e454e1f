import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { ContractRecord } from '#shared/domain/polling/contract-record.ts';
import type { Turns } from '#shared/domain/polling/derived-answer.ts';

/** Data that the polls of one pass share. */
export type Pass = Turns & {
  /** The newest records of all contracts, including the changes of this pass. */
  readonly newest: Map<ContractKey, ContractRecord>;
};
