import type { Chain } from '#shared/domain/market/chains.ts';

/**
 * OpenSea's names of the supported chains (`ChainIdentifier`), by slug. OpenSea has no test
 * networks, and does not support bsc, fantom, palm, cronos, gnosis, chiliz, linea, moonbeam and
 * moonriver.
 */
const IDENTIFIERS: ReadonlyMap<string, string> = new Map([
  ['eth', 'ethereum'],
  ['polygon', 'polygon'],
  ['avalanche', 'avalanche'],
  ['arbitrum', 'arbitrum'],
  ['base', 'base'],
  ['optimism', 'optimism'],
  ['flow', 'flow'],
]);

const SLUGS: ReadonlyMap<string, string> = new Map(
  [...IDENTIFIERS].map(([slug, identifier]) => [identifier, slug]),
);

/** OpenSea's name of a chain; undefined if OpenSea does not support it. */
export function identifierOf({ slug }: Chain): string | undefined {
  return IDENTIFIERS.get(slug);
}

/** The slug of a chain by OpenSea's name; undefined if the interface does not support it. */
export function slugOf(identifier: string): string | undefined {
  return SLUGS.get(identifier);
}
