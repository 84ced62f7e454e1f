import * as z from 'zod';

/** The providers of prices: a service of the NFT data interface v2.2, and OpenSea's API v2. */
export const Provider = z.enum(['nft-data', 'opensea']);
export type Provider = z.output<typeof Provider>;
