import { expect, it } from 'vitest';
import { indexRangesOf } from '#shared/domain/evaluation/index-ranges.ts';
import { MINUTE } from '#shared/domain/market/instant.ts';
import {
  aContractRecord,
  anObservation,
  aPrice,
  eth,
  NOON,
  someSnapshot,
} from '#test/support/builders.ts';

it('an evaluation reads the watches beyond a price that was only recorded: their reminders may meet it', () => {
  const at = (minute: number, price: string) => aPrice(price, { time: NOON + minute * MINUTE });
  const recorded = [at(0, '60'), at(1, '69'), at(2, '61')] as const;
  const [before, , after] = recorded;
  const newest = anObservation(2, after, { previous: before });
  const snapshot = someSnapshot({ newest, unevaluated: [newest], answeredAt: NOON, recorded });

  const indexRanges = indexRangesOf(aContractRecord(), snapshot, NOON);

  expect(indexRanges.map(({ thresholdIndex, value }) => [thresholdIndex, value])).toEqual([
    ['falling', eth('61')],
    ['rising', eth('69')],
  ]);
});

it('an evaluation reads the watches that a glitch reaches, and those that wait until it is known for one', () => {
  const at = (minute: number, price: string) => aPrice(price, { time: NOON + minute * MINUTE });
  const recorded = [at(0, '60'), at(1, '120'), at(2, '60')] as const;
  const [stood, glitch, after] = recorded;
  const newest = anObservation(3, after, { previous: glitch, stood });
  const snapshot = someSnapshot({ newest, unevaluated: [newest], answeredAt: NOON, recorded });
  const thresholdIndexes = [{ metric: 'floor_drawdown_pct.1h', unit: 'eth' }] as const;

  const indexRanges = indexRangesOf(aContractRecord({ thresholdIndexes }), snapshot, NOON);

  expect(indexRanges.map(({ thresholdIndex, value }) => [thresholdIndex, value])).toEqual([
    ['falling', 0n],
    ['rising', eth('50')],
  ]);
});
