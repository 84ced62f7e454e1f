import type { Chain } from '#shared/domain/market/chains.ts';

/**
 * The chains of the interface that OpenSea has, by slug, as its `ChainIdentifier` names them. It has
 * no test networks, and none of: bsc, fantom, palm, cronos, gnosis, chiliz, linea, moonbeam,
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

/** A chain as OpenSea names it; undefined if it has none such. */
export function identifierOf({ slug }: Chain): string | undefined {
  return IDENTIFIERS.get(slug);
}

/** The slug of a chain that OpenSea names; undefined if the interface has none such. */
export function slugOf(identifier: string): string | undefined {
  return SLUGS.get(identifier);
}
