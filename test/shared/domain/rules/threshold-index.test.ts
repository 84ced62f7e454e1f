import { describe, expect, it } from 'vitest';
import { evaluateSteps } from '#shared/domain/evaluation/evaluate-watch.ts';
import { NO_PAST } from '#shared/domain/evaluation/known-at-step.ts';
import { type Watch, waitingOf } from '#shared/domain/evaluation/watch.ts';
import { GREATEST, LEAST } from '#shared/domain/market/decimal.ts';
import { thresholdIndexKey } from '#shared/domain/rules/threshold-index.ts';
import { appendPoll } from '#shared/domain/timeline/append-poll.ts';
import { newTimeline, readSteps } from '#shared/domain/timeline/timeline.ts';
import { answeredBy, aTrade, aWatch, eth, NOON } from '#test/support/builders.ts';
import { createSeededRandom, type SeededRandom } from '#test/support/seeded-random.ts';

const keyOf = (value: bigint) => thresholdIndexKey({ metric: 'floor_price', unit: 'eth' }, value);

describe('index keys of numbers', () => {
  it('sorts index keys like their numbers, from the least to the greatest', () => {
    const random = createSeededRandom(2);
    const anyNumber = () => {
      const digits = Array.from({ length: 1 + random.below(38) }, () => random.below(10)).join('');
      return BigInt(digits) * random.pick([1n, -1n]);
    };
    const edges = [LEAST, LEAST + 1n, -10n, -9n, -1n, 0n, 1n, 9n, 10n, GREATEST - 1n, GREATEST];
    const numbers = [...edges, ...Array.from({ length: 500 }, anyNumber)];

    const byNumber = [...new Set(numbers)].toSorted((a, b) => (a < b ? -1 : 1)).map(keyOf);

    expect(byNumber.toSorted()).toEqual(byNumber);
    expect(new Set(byNumber).size).toBe(byNumber.length);
    expect(new Set(byNumber.map(({ length }) => length)).size).toBe(1);
  });

  it.each([
    { of: '1 wei', value: 1n, key: `floor_price.eth#1${'0'.repeat(37)}1` },
    { of: 'zero', value: 0n, key: `floor_price.eth#1${'0'.repeat(38)}` },
    { of: '-1 wei', value: -1n, key: `floor_price.eth#0${'9'.repeat(37)}8` },
    { of: 'the greatest number', value: GREATEST, key: `floor_price.eth#1${'9'.repeat(38)}` },
  ])('formats the index key of $of as $key', ({ value, key }) => {
    expect(keyOf(value)).toBe(key);
  });
});

describe('the index position of a watch', () => {
  const [at60, at70, at50] = [eth('60'), eth('70'), eth('50')];

  it.each([
    { when: 'below', state: 'unknown', waits: { falling: GREATEST } },
    { when: 'below', state: 'ok', waits: { falling: at60 } },
    { when: 'below', state: 'disarmed', waits: { rising: at60 + 1n } },
    { when: 'below', state: 'firing', waits: { rising: at60 + 1n } },
    { when: 'below', state: 'firing', recover: at70, waits: { rising: at70 } },
    { when: 'above', state: 'unknown', waits: { falling: GREATEST } },
    { when: 'above', state: 'ok', waits: { rising: at60 } },
    { when: 'above', state: 'disarmed', waits: { falling: at60 - 1n } },
    { when: 'above', state: 'firing', waits: { falling: at60 - 1n } },
    { when: 'above', state: 'firing', recover: at50, waits: { falling: at50 } },
  ] as const)(
    'indexes a watch with $when 60 in state $state (recover: $recover)',
    ({ when, state, waits, ...recover }) => {
      const watch = aWatch({ state, ruleCondition: { when, ...recover } });

      expect(waitingOf(watch)).toEqual(waits);
    },
  );

  it.each(['paused', 'expired'] as const)('indexes no watch that is %s', (admin) => {
    expect(waitingOf(aWatch({ admin }))).toEqual({});
  });

  it('finds a watch for exactly the values that would change it', () => {
    const random = createSeededRandom(3);
    const cases = Array.from({ length: 5000 }, () => {
      const watch = anyWatch(random);
      const value = random.pick([anyNumber(random), null]);
      return { value, moves: moves(watch, value), reached: isReached(watch, value ?? GREATEST) };
    });

    const missed = cases.filter(({ moves, reached }) => moves && !reached);
    const inVain = cases.filter(({ value, moves, reached }) => value !== null && reached && !moves);

    expect(missed).toEqual([]);
    expect(inVain).toEqual([]);
    expect(cases.filter(({ moves }) => moves).length).toBeGreaterThan(1000);
  });
});

/** A number that differs by at most one unit from one of five values, so that ties are frequent. */
function anyNumber(random: SeededRandom): bigint {
  const near = random.pick([2n, eth('50'), eth('60'), eth('70'), GREATEST - 3n]);
  return near + BigInt(random.below(3)) - 1n;
}

function anyWatch(random: SeededRandom): Watch {
  const when = random.pick(['below', 'above'] as const);
  const [one, other] = [anyNumber(random), anyNumber(random)];
  const [less, more] = one < other ? [one, other] : [other, one];
  const [threshold, recover] = when === 'below' ? [less, more] : [more, less];
  return aWatch({
    state: random.pick(['unknown', 'ok', 'firing', 'disarmed']),
    ruleCondition: {
      metric: 'lowest_price.7d',
      when,
      threshold,
      arm: random.pick(['level', 'cross']),
      ...(threshold === recover || random.below(2) === 0 ? {} : { recover }),
    },
  });
}

function moves(watch: Watch, value: bigint | null): boolean {
  const empty = { kind: 'empty', time: NOON } as const;
  const sale = value === null ? empty : { ...aTrade('1', NOON), price: value };
  const answers = { ...answeredBy(NOON), floors: [], latest: { 'lowest.7d': sale } };
  const steps = readSteps(appendPoll(newTimeline(0), answers, false));
  const time = { now: NOON, cadenceMinutes: 30 };
  return evaluateSteps(watch, steps, NO_PAST, time).watch !== watch;
}

/** Whether a query up to a value finds the watch in one of its threshold indexes. */
function isReached(watch: Watch, value: bigint): boolean {
  const { falling, rising } = waitingOf(watch);
  return (
    (falling !== undefined && keyOf(falling) >= keyOf(value)) ||
    (rising !== undefined && keyOf(rising) <= keyOf(value))
  );
}
