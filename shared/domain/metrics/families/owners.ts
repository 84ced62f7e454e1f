import type { Family } from '#shared/domain/metrics/family.ts';
import { priceIn } from '#shared/domain/metrics/prices.ts';

export const owners = {
  over: 'nothing',
  seriesOf: () => ['owners'],
  readsSales: false,
  isPercent: false,
  unit: 'owners',
  thresholds: { above: 0n },
  usual: { from: 90, to: 110 },
  usualKeepFor: undefined,
  digits: 'all',
  signed: false,
  measure: ({ unit, latest: [latest] }) => priceIn(unit, latest),
  named: () => 'number of owners',
  described: '`owners`: the number of addresses that hold a token of the collection.',
} as const satisfies Family;
