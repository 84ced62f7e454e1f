import { describe, expect, it } from 'vitest';
import { evaluateSteps } from '#shared/domain/evaluation/evaluate-watch.ts';
import { indexRangesOf, losesValue } from '#shared/domain/evaluation/index-ranges.ts';
import { NO_PAST } from '#shared/domain/evaluation/known-at-step.ts';
import type { Next } from '#shared/domain/evaluation/law.ts';
import {
  indexEntriesOf,
  nextTimer,
  nextWake,
  thresholdIndexesOf,
  thresholdIndexOf,
  type Watch,
  waitingOf,
} from '#shared/domain/evaluation/watch.ts';
import { HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import { type IndexRange, thresholdIndexText } from '#shared/domain/rules/threshold-index.ts';
import type { ReadStep } from '#shared/domain/timeline/timeline.ts';
import { aContractRecord, aWatch, eth, NOON, stepsOf } from '#test/support/builders.ts';
import { runsOf } from '#test/support/extent.ts';
import { aPolledWatch, clockOf, poll, textsOf, timeOf } from '#test/support/polled-watch.ts';
import { createSeededRandom, type SeededRandom } from '#test/support/seeded-random.ts';

type Rule = Parameters<typeof aPolledWatch>[0];

const above = { when: 'above', threshold: '60' } as const;

describe('a pending watch', () => {
  const pending = poll(aPolledWatch({ ...above, for: '5m' }), '12:00 61', '12:04').watch;

  it('a pending watch has its timer at the end of `for`', () => {
    expect(clockOf(nextTimer(pending) ?? 0)).toBe('12:05');
    expect(nextWake(pending)).toEqual({ kind: 'answer', at: timeOf('12:05') });
  });

  it('a pending watch is indexed at the nearest value that does not meet its condition', () => {
    expect(waitingOf(pending)).toEqual({ falling: eth('60') - 1n });
  });
});

it('a recovering watch is indexed at the nearest value that has not recovered', () => {
  const rule = { when: 'below', threshold: '10', recover: '11', keepFor: '5m' } as const;
  const { watch } = poll(aPolledWatch(rule), '12:00 9', '12:01 11.2');

  expect([watch.state, waitingOf(watch)]).toEqual(['recovering', { falling: eth('11') - 1n }]);
});

it('every answer may change an episode of a rule with a window, also during `keepFor`', () => {
  const change = { metric: 'floor_change_pct.1h', when: 'below', threshold: '-10' } as const;
  const rule = { ...change, made: '10:59' };
  const { watch } = poll(aPolledWatch(rule), '11:00 10', '12:00 10', '12:01 8', '12:02 10');

  expect([watch.state, nextWake(watch)]).toEqual([
    'recovering',
    { kind: 'window', at: timeOf('13:02') },
  ]);
});

it('a watch of a rule with `repeat: once` is removed from the indexes after its episode', () => {
  const { watch } = poll(aPolledWatch({ ...above, repeat: 'once' }), '12:00 61', '12:01 50');

  expect([watch.state, waitingOf(watch), nextTimer(watch)]).toEqual(['ended', {}, undefined]);
});

it('alerts about crossings have no episode', () => {
  const { alerts } = poll(
    aPolledWatch({ when: 'crosses', threshold: '60' }),
    ...['12:00 50', '12:01 61', '12:02 59'],
  );

  expect(alerts.map(({ episode, open }) => [episode, open])).toEqual([
    [null, null],
    [null, null],
  ]);
});

it.each<readonly ['below' | 'above', readonly string[], string]>([
  ['below', ['60', '55', '43.5', '59', '61'], '43.5'],
  ['above', ['60', '61', '75.25', '62', '59'], '75.25'],
])('a recovery reports the most extreme value of an episode %s 60: %s', (when, prices, extreme) => {
  const lines = prices.map((price, minute) => `12:0${minute} ${price}`);

  const { alerts } = poll(aPolledWatch({ when, threshold: '60' }), ...lines);

  expect(alerts.at(-1)).toMatchObject({ kind: 'recovered', extreme, duration: '4m' });
});

it('a recovery reports the most extreme change of a window', () => {
  const rule = { metric: 'floor_change_pct.1h', when: 'above', threshold: '5', keepFor: '1m' };
  const lines = ['11:00 60', '12:00 66', '12:10 69', '13:11', '13:12'];

  const { alerts } = poll(aPolledWatch({ ...rule, made: '10:59' }), ...lines);

  expect(textsOf({ alerts })).toEqual(['12:00 fired 10', '13:12 recovered 0']);
  expect(alerts.at(-1)).toMatchObject({ extreme: '15' });
});

describe('a band', () => {
  it.each([
    ['outside', '55', { falling: eth('50') - 1n, rising: eth('60') + 1n }],
    ['outside', '40', { rising: eth('50') }],
    ['inside', '70', { falling: eth('60') }],
  ] as const)(
    'a watch with a band %s 50 to 60, at a price of %s, is indexed at the nearest prices that would change it',
    (when, price, waiting) => {
      const { watch } = poll(aPolledWatch({ when, low: '50', high: '60' }), `12:00 ${price}`);

      expect(waitingOf(watch)).toEqual(waiting);
    },
  );
});

it('`confirm` gives the same alerts as a simple count of the last points', () => {
  const random = createSeededRandom(7);
  for (let round = 0; round < 100; round += 1) {
    const [times, of] = random.pick([
      [2, 3],
      [3, 5],
      [2, 2],
      [4, 6],
    ] as const);
    const beyonds = Array.from({ length: 25 }, () => random.pick([true, false]));
    let isOpen = false;
    let counted: boolean[] = [];
    const expected = beyonds.flatMap((beyond, minute) => {
      counted = [...counted, beyond].slice(-of);
      const isMet = counted.filter(Boolean).length >= times;
      if (isOpen === beyond || (!isOpen && !isMet)) return [];
      isOpen = beyond;
      counted = [];
      const time = clockOf(NOON + minute * MINUTE);
      return [beyond ? `${time} fired 61` : `${time} recovered 50`];
    });

    const lines = beyonds.map((beyond, minute) => {
      return `${clockOf(NOON + minute * MINUTE)} ${beyond ? '61' : '50'}`;
    });

    expect(textsOf(poll(aPolledWatch({ ...above, confirm: { times, of } }), ...lines))).toEqual(
      expected,
    );
  }
});

const held = { amount: 3, cost: { price: '57', unit: 'eth' } };
const atSevenths = { amount: 7, cost: { price: '58.3', unit: 'eth' } };

const RULES: readonly Rule[] = [
  { ...above, for: '7m' },
  { ...above, keepFor: '5m' },
  { when: 'below', threshold: '60', recover: '65', for: '3m', keepFor: '4m' },
  { ...above, repeat: { reminder: '6m' } },
  { when: 'outside', low: '50', high: '65', for: '4m' },
  { when: 'inside', low: '50', high: '65', keepFor: '3m' },
  { when: 'crosses', threshold: '60' },
  { ...above, confirm: { times: 2, of: 3 } },
  { when: 'below', threshold: '60', steps: '5' },
  { when: 'below', threshold: '60', arm: 'cross', for: '2m', repeat: 'once' },
  { when: 'below', threshold: '60', outliers: 'take' },
  { metric: 'gain', when: 'above', threshold: '9', steps: '30', held },
  { metric: 'gain', when: 'below', threshold: '0', recover: '12', steps: '20', held },
  { metric: 'gain', when: 'outside', low: '-21', high: '15', keepFor: '3m', held },
  { metric: 'gain', when: 'crosses', threshold: '11.9', held: atSevenths },
  { metric: 'gain_pct', when: 'below', threshold: '-5', keepFor: '4m', steps: '2', held },
  { metric: 'gain_pct', when: 'above', threshold: '2.9', for: '2m', held: atSevenths },
  { metric: 'gain_pct', when: 'crosses', threshold: '0', held },
  { metric: 'gain_pct', when: 'inside', low: '-15', high: '3', keepFor: '2m', held },
  {
    all: [
      { metric: 'gain', when: 'above', threshold: '9' },
      { metric: 'floor_price', when: 'below', threshold: '65' },
    ],
    ...{ keepFor: '1m', held },
  },
  {
    all: [
      { metric: 'floor_price', when: 'above', threshold: '50' },
      { metric: 'gain_pct', when: 'outside', low: '-10', high: '10' },
    ],
    ...{ keepFor: '1m', held: atSevenths },
  },
];
const NUMBERED = RULES.map((rule, index) => [index, rule] as const);

/** Floors of sixty minutes, some of them glitches. */
function someSteps(random: SeededRandom): readonly ReadStep[] {
  const prices = ['40', '49', '50', '59', '60', '61', '64', '65', '66', '70'];
  return stepsOf(...Array.from({ length: 60 }, () => random.pick(prices)));
}

const TIME = { now: NOON + HOUR, cadenceMinutes: 30 };

/** Evaluates groups of steps one after the other. */
function evaluated(watch: Watch, groups: readonly (readonly ReadStep[])[]): Next {
  return groups.reduce<Next>(
    (before, steps) => {
      const { watch: after, alerts } = evaluateSteps(before.watch, steps, NO_PAST, TIME);
      return { watch: after, alerts: [...before.alerts, ...alerts] };
    },
    { watch, alerts: [] },
  );
}

it.each(NUMBERED)(
  'the grouping of steps into evaluations does not change the alerts (rule %d)',
  (index, rule) => {
    const random = createSeededRandom(index);
    for (let round = 0; round < runsOf(20).numRuns; round += 1) {
      const { watch } = aPolledWatch(rule);
      const steps = someSteps(random);
      const polls = [...Map.groupBy(steps, ({ asked }) => asked).values()];
      const cut = random.below(polls.length);

      const atOnce = evaluated(watch, [steps]);
      const each = evaluated(watch, polls);
      const twice = evaluated(watch, [polls.slice(0, cut).flat(), polls.slice(cut).flat()]);
      const again = evaluated(watch, [polls.slice(0, cut).flat(), steps]);

      expect(each.alerts).toEqual(atOnce.alerts);
      expect(twice.alerts).toEqual(atOnce.alerts);
      expect(again.alerts).toEqual(atOnce.alerts);
      expect(each.watch.state).toBe(atOnce.watch.state);
    }
  },
);

it.each(NUMBERED)(
  'each step that changes a watch reaches it through the indexes or its timer (rule %d)',
  (index, rule) => {
    const random = createSeededRandom(100 + index);
    let { watch } = aPolledWatch(rule);
    const polls = [...Map.groupBy(someSteps(random), ({ asked }) => asked).values()];
    for (const steps of polls) {
      const asked = steps.at(-1)?.asked ?? NOON;
      const record = aContractRecord({ thresholdIndexes: thresholdIndexesOf(watch) });
      const reaching = { record, steps, past: NO_PAST };
      const ranges = indexRangesOf(reaching, asked);
      const timer = nextWake(watch)?.at ?? Number.POSITIVE_INFINITY;

      const moved = evaluateSteps(watch, steps, NO_PAST, { ...TIME, now: asked }).watch;

      const isReached =
        ranges.some((range) => isInRange(watch, range)) || timer <= asked || losesValue(reaching);
      expect(moved === watch || isReached).toBe(true);
      watch = moved;
    }
  },
);

function isInRange(watch: Watch, { thresholdIndex, value, ...name }: IndexRange): boolean {
  if (thresholdIndexText(name) !== thresholdIndexText(thresholdIndexOf(watch))) return false;
  const waiting = indexEntriesOf(watch)[thresholdIndex];
  if (waiting === undefined) return false;
  return thresholdIndex === 'falling' ? waiting >= value : waiting <= value;
}

it('a rule on the data age has no timer if it would be due beyond the range of dates', () => {
  const ruleCondition = { metric: 'data_age_minutes', unit: 'minutes', when: 'above' } as const;
  const watch = aWatch({
    ruleCondition: { ...ruleCondition, threshold: eth('10') },
    repeatPolicy: { repeat: 'every', steps: eth('1000000') },
    ...{ state: 'firing', firedAt: NOON, lastReported: eth('1000000000000'), countsFrom: NOON },
  });

  expect(nextTimer(watch)).toBeUndefined();
});

it('an ended rule has no timer, even if its threshold was edited later', () => {
  const ruleCondition = { metric: 'data_age_minutes', unit: 'minutes', when: 'above' } as const;
  const watch = aWatch({
    ruleCondition: { ...ruleCondition, threshold: eth('10') },
    ...{ repeatPolicy: { repeat: 'once' }, state: 'ended', editedAt: NOON, countsFrom: NOON },
  });

  expect(nextTimer(watch)).toBeUndefined();
});
