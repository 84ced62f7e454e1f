import { OPERATIONS, type Operation } from '#shared/domain/market/operations.ts';
import { type PriceSeriesName, priceSeries } from '#shared/domain/market/price-series.ts';
import { type ContractRecord, newestOf } from './contract-record.ts';

/**
 * Whether the data of a price series are sound. If they are not, `code` and `reason` explain why.
 */
export type SeriesHealth = {
  readonly state: 'waiting' | 'fresh' | 'stale' | 'disputed';
  readonly code: string;
  readonly reason: string | null;
};

export function seriesHealth(
  series: PriceSeriesName,
  record: ContractRecord | undefined,
): SeriesHealth {
  const known = record?.series[series];
  if (known?.outcome === undefined) {
    return { state: 'waiting', code: 'not_asked', reason: 'the provider has not been polled yet' };
  }
  const { outcome, reason } = known;
  if (outcome === 'disputed') {
    const { code, text } = priceSeries(series).words.dispute;
    return { state: 'disputed', code, reason: reason === undefined ? text : `${text}: ${reason}` };
  }
  if (outcome === 'ok') return { state: 'fresh', code: 'ok', reason: null };
  const { none } = priceSeries(series);
  if (outcome === 'empty' && none !== undefined) {
    return { state: 'fresh', code: none.code, reason: none.text };
  }
  const state = record && newestOf(record, series) ? 'stale' : 'waiting';
  return { state, ...refusalInWords(outcome, reason) };
}

/** The reason why the provider returned no value, as a code and in words. */
export function refusalInWords(kind: string, reason: string | undefined) {
  const code = reason === undefined ? kind : `${kind}_${reason}`;
  return { code, reason: REASONS[code] ?? 'the provider returned no usable response' };
}

/** The denied operation in words, or "its service" if all operations are denied. */
export function operationInWords(operation: Operation | undefined): string {
  return operation === undefined ? 'its service' : OPERATIONS[operation].words;
}

/** Explanations of a missing price for users, by the outcome of the last call. */
const REASONS: Readonly<Record<string, string>> = {
  empty: 'the provider returned no price',
  not_ready: 'the provider is still indexing this contract',
  not_found: 'the provider does not have this contract',
  unsupported_retired: 'the provider no longer reports this value',
  unsupported_chain: "the provider does not report this value on the contract's chain",
  unsupported_money: 'the lowest sale was not paid in ETH, and the provider reports no other sale',
  unsupported_price:
    'the amount of the lowest sale is not a valid price (for example, zero), and the provider reports no other sale',
  unsupported_shared:
    'several collections share the contract, or its collection has several contracts, so there is no price for this contract alone',
  unsupported_traits: 'the provider does not report prices by trait',
  unsupported_many: 'the window has more sales than one poll can read',
  not_derived_currencies:
    'the floors have no common currency, and not all of them have a value in dollars',
  denied_key: "the provider does not accept this stack's key",
  denied_quota: "the provider's quota for this stack's key is used up",
  denied_paused: "the provider has paused this stack's account",
  denied_plan: "this stack's plan at the provider does not include this operation",
  denied_blocked: 'the provider blocks this stack',
  throttled: 'the provider throttles this stack: too many requests',
  failed_timeout: 'the provider did not respond in time',
  failed_network: 'the provider could not be reached',
  failed_server_error: 'the provider returned a server error',
  failed_garbage: 'the provider returned no usable response',
  failed_too_large: "the provider's response was too large",
  failed_redirect: 'the provider returned a redirect, which is not followed',
  failed_bad_request: 'the provider rejected the request as invalid',
  not_derived_floors:
    'one of the floors from which the value is computed is unknown, or the provider does not respond',
};
