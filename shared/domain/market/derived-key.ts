/**
 * Separates the contracts of a ratio in its key. The traits in a key are encoded, so they never
 * contain this character.
 */
export const RATIO_SIGN = '~';

/**
 * In the key of a list value, separates the first held contract from the digest of all held tokens.
 */
export const VALUE_SIGN = '@';

/**
 * The pattern of the digest in the key of a list value. Its 96 bits suffice to give each holding a
 * key of its own. Logs redact longer digests, because secrets look like them.
 */
export const VALUE_DIGEST = '[0-9a-f]{24}';

/** Whether a key identifies a ratio of floors. */
export function isRatio(key: string): boolean {
  return key.includes(RATIO_SIGN);
}

/** Whether a key identifies a list value. */
export function isListValue(key: string): boolean {
  return key.includes(VALUE_SIGN);
}

/** Whether the floor of a key is computed from floors of other contracts. */
export function isDerived(key: string): boolean {
  return isRatio(key) || isListValue(key);
}

/** The kinds of contracts that a metric may measure. */
export const SUBJECTS = ['contract', 'ratio', 'list'] as const;
export type Subject = (typeof SUBJECTS)[number];

/** The kind of contract that a key identifies. */
export function subjectOf(key: string): Subject {
  if (isRatio(key)) return 'ratio';
  return isListValue(key) ? 'list' : 'contract';
}

/** The contracts of a ratio, beginning with the one that is compared; empty for other keys. */
export function comparedIn<Key extends string>(key: Key): readonly Key[] {
  return isRatio(key) ? (key.split(RATIO_SIGN) as Key[]) : [];
}

/**
 * Combines the names of contracts into the name of a ratio: `CryptoPunks / average of Azuki,
 * Doodles`.
 */
export function ratioName([first = '', ...others]: readonly string[]): string {
  return `${first} / ${others.length > 1 ? 'average of ' : ''}${others.join(', ')}`;
}
