import { OPERATIONS, type Operation } from '#shared/domain/market/operations.ts';
import { type Part, seriesOf } from '#shared/domain/market/price-series.ts';
import { type ContractRecord, newestOf } from './contract-record.ts';

/** Whether what is known of a part is sound, and if not, why: as a code, and in words. */
export type PartHealth = {
  readonly state: 'waiting' | 'fresh' | 'stale' | 'disputed';
  readonly code: string;
  readonly reason: string | null;
};

export function partHealth(part: Part, record: ContractRecord | undefined): PartHealth {
  const known = record?.parts[part];
  if (known?.outcome === undefined) {
    return { state: 'waiting', code: 'not_asked', reason: 'the provider was not asked yet' };
  }
  const { outcome, reason } = known;
  if (outcome === 'disputed') {
    const { code, text } = seriesOf(part).words.dispute;
    return { state: 'disputed', code, reason: reason === undefined ? text : `${text}: ${reason}` };
  }
  if (outcome === 'ok') return { state: 'fresh', code: 'ok', reason: null };
  const { none } = seriesOf(part);
  if (outcome === 'empty' && none !== undefined) {
    return { state: 'fresh', code: none.code, reason: none.text };
  }
  const state = record && newestOf(record, part) ? 'stale' : 'waiting';
  return { state, ...refusalInWords(outcome, reason) };
}

/** Why the provider gave no value: as a code, and in words. */
export function refusalInWords(kind: string, reason: string | undefined) {
  const code = reason === undefined ? kind : `${kind}_${reason}`;
  return { code, reason: REASONS[code] ?? 'the provider gave no usable answer' };
}

/** What the provider denies, for people: an operation, or its service where none is named. */
export function operationInWords(operation: Operation | undefined): string {
  return operation === undefined ? 'its service' : OPERATIONS[operation].words;
}

/** Why there is no price, for people; by what came of the last call. */
const REASONS: Readonly<Record<string, string>> = {
  empty: 'the provider answers without a price',
  not_ready: 'the provider is still collecting this contract',
  not_found: 'the provider does not know this contract',
  unsupported_retired: 'the provider does not offer this any more',
  unsupported_chain: 'the provider does not offer this on the chain of the contract',
  unsupported_money: 'the lowest sale was not paid in ETH, and the provider reports no other',
  unsupported_price:
    'the amount of the lowest sale is no price (such as zero), and the provider reports no other',
  unsupported_shared:
    'the contract and the collection are not one: it holds several, or the collection has other contracts',
  unsupported_traits: 'the provider reports nothing of tokens with some traits alone',
  unsupported_many: 'there are more sales in its window than are read at once',
  denied_key: 'the provider does not accept the key of this stack',
  denied_quota: "the quota of this stack's key at the provider is used up",
  denied_paused: 'the provider has paused the account of this stack',
  denied_plan: "the plan of this stack's key at the provider lacks this operation",
  denied_blocked: 'the provider blocks this stack',
  throttled: 'the provider asks us to slow down',
  failed_timeout: 'the provider did not answer in time',
  failed_network: 'the provider could not be reached',
  failed_server_error: 'the provider had an error of its own',
  failed_garbage: 'the provider gave no usable answer',
  failed_too_large: 'the answer of the provider was too large',
  failed_redirect: 'the provider sent us elsewhere, where we do not go',
  failed_bad_request: 'the provider did not accept the question',
};
