import * as z from 'zod';

/**
 * Why a record of a provider is left out of an answer. Records without a time or in another form are
 * not readable; the others are readable, and no price.
 */
export const SkipReason = z.enum([
  'other_money',
  'other_contract',
  'no_price',
  'no_time',
  'unreadable',
]);
export type SkipReason = z.output<typeof SkipReason>;

/** The number of records that one call left out, by reason. */
export type Skipped = Readonly<Partial<Record<SkipReason, number>>>;

const IN_WORDS: Readonly<Record<SkipReason, string>> = {
  other_money: 'in another currency',
  other_contract: 'of another contract',
  no_price: 'without a usable price',
  no_time: 'without a usable time',
  unreadable: 'in an unknown form',
};

/** The number of skipped records, whatever the reasons. */
export function countSkipped(skipped: Skipped): number {
  return SkipReason.options.reduce((sum, reason) => sum + (skipped[reason] ?? 0), 0);
}

/** The skipped records for people: `2 records in another currency, 1 without a usable price`. */
export function skippedInWords(skipped: Skipped): string {
  return SkipReason.options
    .flatMap((reason) => {
      const count = skipped[reason];
      return count === undefined ? [] : [{ count, words: IN_WORDS[reason] }];
    })
    .map(({ count, words }, index) => {
      const noun = index > 0 ? '' : count === 1 ? ' record' : ' records';
      return `${count}${noun} ${words}`;
    })
    .join(', ');
}
