import * as z from 'zod';
import { entriesOf } from '#shared/domain/entries-of.ts';
import type { Provider } from './provider.ts';

type ProviderOperation = {
  /** In a sentence: "the data provider has denied the floor history". */
  readonly words: string;
  /** The calls that answer it, of which the first that is offered is taken. */
  readonly calls: readonly [string, ...string[]];
  /**
   * What each of its calls costs at a provider with its smallest key, in the units of the provider's
   * budgets; undefined where the provider does not answer it.
   */
  readonly costs: Readonly<Record<Provider, number | undefined>>;
};

/** All that providers are asked for. */
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
    words: 'the lowest price',
    calls: ['lowestprice', 'price'],
    costs: {
      'nft-data': 1,
      opensea: 2,
      coingecko: undefined,
      alchemy: undefined,
      'ethereum-node': 20,
    },
  },
} as const satisfies Readonly<Record<string, ProviderOperation>>;

export type Operation = keyof typeof OPERATIONS;

export const OPERATION_NAMES: readonly Operation[] = entriesOf<Operation, unknown>(OPERATIONS).map(
  ([name]) => name,
);

/** The calls that providers count. */
export const UpstreamCall = z.enum(OPERATION_NAMES.flatMap((name) => OPERATIONS[name].calls));
export type UpstreamCall = z.output<typeof UpstreamCall>;

/** Whether a provider answers an operation. */
export function isAnsweredBy(provider: Provider, operation: Operation): boolean {
  return OPERATIONS[operation].costs[provider] !== undefined;
}

/** What each call costs at a provider; nothing where it is never made. */
export function costsAt(provider: Provider): Readonly<Record<UpstreamCall, number>> {
  return Object.fromEntries(
    OPERATION_NAMES.flatMap((name) => {
      const { calls, costs } = OPERATIONS[name];
      return calls.map((call) => [call, costs[provider] ?? 0]);
    }),
  ) as Record<UpstreamCall, number>;
}
