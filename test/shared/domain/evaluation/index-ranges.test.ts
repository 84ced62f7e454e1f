import { describe, expect, it } from 'vitest';
import { indexRangesOf, losesValue, windowsOf } from '#shared/domain/evaluation/index-ranges.ts';
import { NO_PAST } from '#shared/domain/evaluation/known-at-step.ts';
import { formatDecimal, GREATEST } from '#shared/domain/market/decimal.ts';
import { DAY, HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import type { Point, PricePoint } from '#shared/domain/market/point.ts';
import { ALL, type ThresholdIndexName } from '#shared/domain/rules/threshold-index.ts';
import { appendPoll } from '#shared/domain/timeline/append-poll.ts';
import { newTimeline, type ReadStep, readSteps } from '#shared/domain/timeline/timeline.ts';
import {
  aContractRecord,
  anAnsweredRecord,
  answeredBy,
  aPrice,
  aTrade,
  NOON,
  stepsOf,
} from '#test/support/builders.ts';

const FLOOR: ThresholdIndexName = { metric: 'floor_price', unit: 'eth' };

/** The bounds of the ranges that an evaluation queries in `falling` and `rising`. */
function rangesOf(
  name: ThresholdIndexName,
  steps: readonly ReadStep[],
  recorded: readonly PricePoint[] = [],
): readonly string[] {
  const record = aContractRecord({ thresholdIndexes: [name] });
  const past = { recorded: new Map([['floor' as const, recorded]]) };
  return indexRangesOf({ record, steps, past }, NOON + HOUR).map(({ thresholdIndex, value }) => {
    return `${thresholdIndex} ${value === GREATEST ? 'the end' : formatDecimal(value)}`;
  });
}

const salesOf = (...sales: readonly Point[]) =>
  readSteps(
    sales.reduce((timeline, sale, index) => {
      const asked = NOON + index * MINUTE;
      const answers = { ...answeredBy(asked), floors: [], latest: { 'lowest.1d': sale } };
      return appendPoll(timeline, answers, false);
    }, newTimeline(0)),
  );

describe('the ranges of an evaluation', () => {
  it('an evaluation queries watches between the lowest and the highest value of its steps', () => {
    expect(rangesOf(FLOOR, stepsOf('60', '69', '61'))).toEqual(['falling 60', 'rising 69']);
  });

  it('an evaluation queries watches between a suspect and the accepted floors', () => {
    expect(rangesOf(FLOOR, stepsOf('60', '20', '60'))).toEqual(['falling 20', 'rising 60']);
  });

  it('an evaluation queries watches that need two sources only by confirmed floors', () => {
    const agreed = aPrice('61', { time: NOON + 3 * MINUTE, confirmedBy: 'coingecko' });

    expect(rangesOf({ ...FLOOR, minSources: 2 }, stepsOf('60', '65', agreed))).toEqual([
      'falling 61',
      'rising 61',
    ]);
  });

  it('an evaluation queries watches with a window by its value at each step', () => {
    const recorded = [aPrice('50', { time: NOON })];
    const drawdown = { metric: 'floor_drawdown_pct.1h', unit: 'eth' } as const;

    expect(rangesOf(drawdown, stepsOf('45', '40'), recorded)).toEqual(['falling 10', 'rising 20']);
  });

  it('an evaluation queries watches on sales up to the end of the index if no sale is left', () => {
    const sales = salesOf(aTrade('50', NOON), { kind: 'empty', time: NOON + MINUTE });

    expect(rangesOf({ metric: 'lowest_price.1d', unit: 'eth' }, sales)).toEqual([
      'falling 50',
      'rising the end',
    ]);
  });

  it('an evaluation queries joint rules at each step', () => {
    expect(rangesOf(ALL, stepsOf('60'))).toEqual(['falling 0', 'rising 0']);
  });

  it('an evaluation skips an index whose metric has no value', () => {
    expect(rangesOf({ metric: 'floor_price_usd', unit: 'usd' }, stepsOf('60'))).toEqual([]);
    expect(rangesOf(FLOOR, [])).toEqual([]);
  });

  it('an evaluation without steps queries watches on the data age by the newest floor', () => {
    const thresholdIndexes = [{ metric: 'data_age_minutes', unit: 'minutes' }] as const;
    const record = { ...anAnsweredRecord('floor', aPrice('60')), thresholdIndexes };

    const ranges = indexRangesOf({ record, steps: [], past: NO_PAST }, NOON + 90 * MINUTE);

    expect(ranges.map(({ value }) => formatDecimal(value))).toEqual(['90', '90']);
  });
});

describe('values that become unknown', () => {
  const isLost = (name: ThresholdIndexName, steps: readonly ReadStep[]) =>
    losesValue({ record: aContractRecord({ thresholdIndexes: [name] }), steps, past: NO_PAST });
  const foreign = aPrice('61', { time: NOON + 2 * MINUTE, currency: 'usdc' });

  it.each<readonly [what: string, ThresholdIndexName, readonly ReadStep[], boolean]>([
    ['a price in another currency makes a value unknown', FLOOR, stepsOf('60', foreign), true],
    ['another price does not make a value unknown', FLOOR, stepsOf('60', '61'), false],
    [
      'a floor from one source makes an agreed value unknown',
      { ...FLOOR, minSources: 2 },
      stepsOf(aPrice('60', { confirmedBy: 'coingecko' }), '61'),
      true,
    ],
    [
      'each new sale may make a value unknown, because a rule may ignore it as dust',
      { metric: 'lowest_price.1d', unit: 'eth' },
      salesOf(aTrade('50', NOON)),
      true,
    ],
    [
      'joint rules are never affected, because each step queries them',
      ALL,
      stepsOf('60', foreign),
      false,
    ],
  ])('%s', (_what, name, steps, expected) => {
    expect(isLost(name, steps)).toBe(expected);
  });
});

it('windowsOf returns the window of each index once, in milliseconds', () => {
  const windows = windowsOf([
    FLOOR,
    ALL,
    { metric: 'floor_drop_pct.1h', unit: 'eth' },
    { metric: 'floor_change_pct.1h', unit: 'usd' },
    { metric: 'floor_change_pct.24h', unit: 'eth' },
  ]);

  expect(windows).toEqual([HOUR, DAY]);
});
