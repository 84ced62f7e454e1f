import * as z from 'zod';
import { entriesOf } from '#shared/domain/entries-of.ts';
import type { Provider } from './provider.ts';

type ProviderOperation = {
  /** What a provider is said to deny. */
  readonly words: string;
  /**
   * The calls that answer it, of which the first that is offered is taken. Providers count them, and
   * each has a cost of its own.
   */
  readonly calls: readonly [string, ...string[]];
  /** The providers that answer it. */
  readonly reportedBy: Readonly<Record<Provider, boolean>>;
};

/** All that providers are asked for. */
export const OPERATIONS = {
  traits: {
    words: 'the traits search',
    calls: ['traits'],
    reportedBy: {
      'nft-data': true,
      opensea: true,
      coingecko: false,
      alchemy: false,
      'ethereum-node': false,
    },
  },
  floor: {
    words: 'the floor history',
    calls: ['floor'],
    reportedBy: {
      'nft-data': true,
      opensea: true,
      coingecko: true,
      alchemy: true,
      'ethereum-node': false,
    },
  },
  lowest: {
    words: 'the lowest price',
    calls: ['lowestprice', 'price'],
    reportedBy: {
      'nft-data': true,
      opensea: true,
      coingecko: false,
      alchemy: false,
      'ethereum-node': true,
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
