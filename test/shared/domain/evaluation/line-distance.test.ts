import { describe, expect, it } from 'vitest';
import { lineDistanceView } from '#functions/serve-api/watchlists/line-distance-view.ts';
import { lineDistanceOf } from '#shared/domain/evaluation/line-distance.ts';
import type { MeasuredClause } from '#shared/domain/evaluation/measured-clause.ts';
import type { Metric } from '#shared/domain/metrics/metric.ts';
import type { Condition } from '#shared/domain/rules/condition.ts';
import { decimalOf } from '#shared/http/price-view.ts';
import { eth } from '#test/support/builders.ts';

type Given = { readonly metric?: Metric; readonly condition: Condition; readonly value?: string };

const reading = ({ metric = 'floor_price', condition, value }: Given): MeasuredClause => ({
  ...{ metric, unit: 'eth', condition },
  measured:
    value === undefined ? { kind: 'none', why: 'no_data' } : { kind: 'value', value: eth(value) },
});

const distanceOf = (...given: readonly Given[]) => {
  const known = lineDistanceOf(given.map(reading));
  return [decimalOf(known?.line), ...Object.values(lineDistanceView(known))];
};

const below60 = { when: 'below', threshold: eth('60') } as const;
const above60 = { when: 'above', threshold: eth('60') } as const;
const crosses60 = { when: 'crosses', threshold: eth('60') } as const;
const outside = { when: 'outside', low: eth('50'), high: eth('60') } as const;
const inside = { when: 'inside', low: eth('50'), high: eth('60') } as const;

describe('the distance from a value to the threshold', () => {
  it.each<
    readonly [
      Condition,
      value: string,
      line: string,
      distance: string,
      percent: string,
      direction: string,
    ]
  >([
    [below60, '62.5', '60', '2.5', '4', 'falls'],
    [below60, '60', '60', '0', '0', 'falls'],
    [below60, '48', '60', '-12', '-25', 'falls'],
    [above60, '48', '60', '12', '25', 'rises'],
    [above60, '80', '60', '-20', '-25', 'rises'],
    [crosses60, '80', '60', '20', '25', 'falls'],
    [crosses60, '48', '60', '12', '25', 'rises'],
    [outside, '52', '50', '2', '3.84', 'falls'],
    [outside, '58', '60', '2', '3.44', 'rises'],
    [outside, '40', '50', '-10', '-25', 'falls'],
    [outside, '80', '60', '-20', '-25', 'rises'],
    [inside, '40', '50', '10', '25', 'rises'],
    [inside, '80', '60', '20', '25', 'falls'],
    [inside, '52', '50', '-2', '-3.84', 'rises'],
    [inside, '58', '60', '-2', '-3.44', 'falls'],
  ])(
    'for the condition %o and the value %s, returns the threshold %s, the distance %s (%s%%), and the direction "%s"',
    (condition, value, ...expected) => {
      const [line, distance, percent, direction] = distanceOf({ condition, value });

      expect([line, distance, percent, direction]).toEqual(expected);
    },
  );

  it('returns the distance of a percentage in percentage points', () => {
    const metric = 'floor_drop_pct.24h';
    const condition = { when: 'above', threshold: eth('10') } as const;

    expect(distanceOf({ metric, condition, value: '2.5' })).toEqual(['10', '7.5', '7.5', 'rises']);
  });

  it('returns no percentage for a data age, which grows with time alone', () => {
    const condition = { when: 'above', threshold: eth('60') } as const;

    expect(distanceOf({ metric: 'data_age_minutes', condition, value: '15' })).toEqual([
      ...['60', '45', null, 'rises'],
    ]);
  });

  it('returns no percentage from a value of zero, and treats it as the largest distance', () => {
    const none = { metric: 'sales.1d', condition: above60, value: '0' } as const;

    expect(distanceOf(none)).toEqual(['60', '60', null, 'rises']);
    expect(distanceOf(none, { condition: above60, value: '1' })).toEqual(distanceOf(none));
  });

  it('returns the largest distance of joint conditions', () => {
    const near = { condition: below60, value: '61' };
    const far = { condition: above60, value: '40' };

    expect(distanceOf(near, far)).toEqual(distanceOf(far));
    expect(distanceOf(far, near)).toEqual(distanceOf(far));
  });

  it.each([
    [[{ condition: below60 }]],
    [[{ condition: below60, value: '61' }, { condition: above60 }]],
    [[{ condition: above60 }, { condition: below60, value: '61' }]],
  ])('returns no distance while a value is missing', (given) => {
    expect(distanceOf(...given)).toEqual([null, null, null, null]);
  });
});
