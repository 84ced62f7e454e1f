/** A 32-byte word of ABI-encoded data. */
type Word = bigint;

const WORD_DIGITS = 64;
const ADDRESS_LIMIT = 2n ** 160n;

/** The words of hex data; undefined if its length is not a multiple of a word. */
export function splitWords(hex: string): readonly Word[] | undefined {
  const digits = hex.slice('0x'.length);
  if (digits.length % WORD_DIGITS !== 0) return undefined;
  return Array.from({ length: digits.length / WORD_DIGITS }, (_, index) =>
    BigInt(`0x${digits.slice(index * WORD_DIGITS, (index + 1) * WORD_DIGITS)}`),
  );
}

export function addressIn(word: Word | undefined): string | undefined {
  if (word === undefined || word >= ADDRESS_LIMIT) return undefined;
  return `0x${word.toString(16).padStart(40, '0')}`;
}

/**
 * The elements of a dynamic array with `size` words each. The word at `head` has its offset.
 * Undefined if the data are too short.
 */
export function arrayAt(
  words: readonly Word[],
  head: number,
  size: number,
): readonly (readonly Word[])[] | undefined {
  const offset = words[head];
  if (offset === undefined || offset % 32n !== 0n) return undefined;
  const start = Number(offset / 32n);
  const length = words[start];
  if (length === undefined || length * BigInt(size) > words.length - start - 1) return undefined;
  return Array.from({ length: Number(length) }, (_, index) =>
    words.slice(start + 1 + index * size, start + 1 + (index + 1) * size),
  );
}
