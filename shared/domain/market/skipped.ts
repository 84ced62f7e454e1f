import * as z from 'zod';

/**
 * The reason to skip a record of a provider. `no_time` and `unreadable` mean that the record cannot
 * be parsed. The other reasons mean that a valid record is not a price.
 */
export const SkipReason = z.enum([
  'other_money',
  'other_contract',
  'no_price',
  'no_time',
  'unreadable',
]);
export type SkipReason = z.output<typeof SkipReason>;

/** The number of skipped records of one call, by reason. */
export type Skipped = Readonly<Partial<Record<SkipReason, number>>>;

const IN_WORDS: Readonly<Record<SkipReason, string>> = {
  other_money: 'in another currency',
  other_contract: 'of another contract',
  no_price: 'without a usable price',
  no_time: 'without a usable time',
  unreadable: 'in an unknown format',
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
