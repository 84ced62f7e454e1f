import type { Family } from '#shared/domain/metrics/family.ts';
import { priceIn } from '#shared/domain/metrics/prices.ts';

export const listValue = {
  over: 'nothing',
  seriesOf: () => ['floor'],
  subject: 'list',
  readsSales: false,
  isPercent: false,
  unit: 'any',
  thresholds: { above: 0n },
  usual: { from: 10, to: 200 },
  usualKeepFor: undefined,
  digits: 'all',
  signed: false,
  measure: ({ unit, floors }) => priceIn(unit, floors.at(-1)),
  named: () => 'value',
  described:
    '`list_value`: the value of all tokens that the list holds (`amount` of its contracts) at their floors. There is no value while one of these floors is not known; a collection that never had a floor does not count.',
} as const satisfies Family;
