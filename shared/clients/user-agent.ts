import manifest from '#package.json' with { type: 'json' };

/**
 * Identifies the software in every HTTP request, because CoinGecko, among others, rejects requests
 * without it.
 */
export const USER_AGENT = `floorwatch/${manifest.version}`;
