import * as z from 'zod';
import { entriesOf } from '#shared/domain/entries-of.ts';
import type { Provider } from './provider.ts';

type ProviderOperation = {
  /** The name in a sentence, such as "the data provider has denied access to the floor history". */
  readonly words: string;
  /**
   * The calls that answer the operation. floorwatch makes the first one that the provider offers.
   */
  readonly calls: readonly [string, ...string[]];
  /**
   * The cost of one call by provider, in the units of its budgets and with its smallest plan.
   * Undefined if the provider does not answer the operation.
   */
  readonly costs: Readonly<Record<Provider, number | undefined>>;
};

/** The operations of providers, by name. */
export const OPERATIONS = {
  traits: {
    words: 'the traits search',
    calls: ['traits'],
    costs: {
      'nft-data': 50,
      opensea: 1,
      coingecko: undefined,
      alchemy: undefined,
      'ethereum-node': undefined,
    },
  },
  floor: {
    words: 'the floor history',
    calls: ['floor'],
    costs: {
      'nft-data': 50,
      opensea: 1,
      coingecko: 1,
      alchemy: 100,
      'ethereum-node': undefined,
    },
  },
  lowest: {
    words: 'the lowest sale',
    calls: ['lowestprice', 'price'],
    costs: {
      'nft-data': 1,
      opensea: 2,
      coingecko: undefined,
      alchemy: undefined,
      'ethereum-node': 20,
    },
  },
  offers: {
    words: 'the best offer',
    calls: ['offers'],
    costs: {
      'nft-data': undefined,
      opensea: 1,
      coingecko: undefined,
      alchemy: undefined,
      'ethereum-node': undefined,
    },
  },
} as const satisfies Readonly<Record<string, ProviderOperation>>;

export type Operation = keyof typeof OPERATIONS;

export const OPERATION_NAMES: readonly Operation[] = entriesOf<Operation, unknown>(OPERATIONS).map(
  ([name]) => name,
);

/** The calls that providers charge for. */
export const UpstreamCall = z.enum(OPERATION_NAMES.flatMap((name) => OPERATIONS[name].calls));
export type UpstreamCall = z.output<typeof UpstreamCall>;

/** Whether a provider answers an operation. */
export function isAnsweredBy(provider: Provider, operation: Operation): boolean {
  return OPERATIONS[operation].costs[provider] !== undefined;
}

/** The cost of each call at a provider; 0 if the provider does not answer it. */
export function costsAt(provider: Provider): Readonly<Record<UpstreamCall, number>> {
  return Object.fromEntries(
    OPERATION_NAMES.flatMap((name) => {
      const { calls, costs } = OPERATIONS[name];
      return calls.map((call) => [call, costs[provider] ?? 0]);
    }),
  ) as Record<UpstreamCall, number>;
}
