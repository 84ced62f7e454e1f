import type { Collection } from '#shared/domain/market/collection.ts';
import { type ContractKey, wholeCollection } from '#shared/domain/market/contract.ts';
import { comparedIn, isListValue, ratioName } from '#shared/domain/market/derived-key.ts';

/**
 * The collection of a contract; undefined if it is unknown, or for the total value of a list. The
 * name of a ratio consists of the names of all compared collections, or the addresses of unknown
 * ones: `CryptoPunks / Azuki`.
 */
export async function collectionOf(
  getCollection: (contract: ContractKey) => Promise<Collection | undefined>,
  contract: ContractKey,
): Promise<Collection | undefined> {
  if (isListValue(contract)) return undefined;
  const collection = await getCollection(wholeCollection(contract));
  const [, ...others] = comparedIn(contract);
  if (collection === undefined || others.length === 0) return collection;
  const names = await Promise.all(
    others.map(async (other) => (await getCollection(other))?.name ?? other),
  );
  return { ...collection, name: ratioName([collection.name, ...names]) };
}
