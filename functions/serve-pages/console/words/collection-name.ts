import {
  comparedIn,
  isRatio,
  ratioName,
  type Subject,
  subjectOf,
} from '#shared/domain/market/derived-key.ts';

type Member = { readonly contract: string; readonly name?: string | null | undefined };

/**
 * The name of a collection, or else its contract. A comparison has the names of its collections:
 * `CryptoPunks / Azuki`, `CryptoPunks / average of Azuki, Doodles`.
 */
export function collectionName(
  { contract, name }: Member,
  members: readonly Member[] = [],
): string {
  if (name != null || !isRatio(contract)) return name ?? contract;
  const nameOf = (key: string) =>
    members.find((one) => one.contract === key)?.name ?? shortContract(key);
  return ratioName(comparedIn(contract).map(nameOf));
}

/** `eth:0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb` → `eth:0xb47e…3bbb` */
export function shortContract(contract: string): string {
  return contract.replace(/(0x.{4}).*(.{4})$/, '$1…$2');
}

/** The word for the price of a contract. A comparison has a ratio, and a list has a value. */
export function priceWord(contract: string): string {
  return PRICE_WORDS[subjectOf(contract)];
}

const PRICE_WORDS: Readonly<Record<Subject, string>> = {
  ...{ contract: 'floor', ratio: 'ratio', list: 'value' },
};

/** Capitalizes a word for the beginning of a sentence. */
export function capitalized(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}
