import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export const PUNKS = 'eth:0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb';
const ofPunks = { chain: 'eth', token_address: PUNKS.slice(4) };

/** A line of `floors.jsonl`. */
export const aFloorLine = (timestamp: string, floor_price: string, given: object = {}) => ({
  ...ofPunks,
  floor_price,
  floor_price_usd: '30000.00',
  currency: 'eth',
  marketplace: [{ name: 'cryptopunks', logo: '' }],
  timestamp,
  ...given,
});

/** A line of `trades.jsonl`. */
export const aTradeLine = (block_timestamp: string, price: string, given: object = {}) => ({
  ...ofPunks,
  transaction_hash: `0x${block_timestamp.replace(/\D/g, '').padStart(64, '0')}`,
  transaction_index: '',
  token_ids: ['544'],
  seller_address: '0xc352b534e8b987e036a93539fd6897f53488e56a',
  buyer_address: '0x0000000000000000000000000000000000000000',
  marketplace_address: PUNKS.slice(4),
  price,
  payment_token: 'ETH',
  block_timestamp,
  block_number: '3919706',
  block_hash: '',
  ...given,
});

/** A line of `tokens.jsonl`. */
export const aTokenLine = (
  token_id: string,
  traits: readonly (readonly [string, unknown])[],
  given: object = {},
) => ({
  ...ofPunks,
  token_id,
  contract_type: 'CRYPTOPUNKS',
  name: 'CryptoPunks',
  symbol: 'PUNK',
  metadata: JSON.stringify({
    name: `CryptoPunk #${token_id}`,
    attributes: traits.map(([trait_type, value]) => ({ trait_type, value })),
  }),
  ...given,
});

/**
 * A directory with these files by name; an array becomes JSON Lines. `await using` removes the
 * directory.
 */
export async function writeMarketFiles(
  files: Readonly<Record<string, readonly unknown[] | string | Buffer>>,
): Promise<AsyncDisposable & { readonly directory: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'floorwatch-market-'));
  for (const [name, content] of Object.entries(files)) {
    const file = join(directory, name);
    await mkdir(dirname(file), { recursive: true });
    const isRaw = typeof content === 'string' || Buffer.isBuffer(content);
    await writeFile(file, isRaw ? content : toLines(content));
  }
  return {
    directory,
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
  };
}

export const toLines = (records: readonly unknown[]) =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');
