import { describe, expect, it } from 'vitest';
import { evaluateWatch } from '#shared/domain/evaluation/evaluate-watch.ts';
import type { Snapshot } from '#shared/domain/evaluation/snapshot.ts';
import {
  nextTimer,
  thresholdIndexOf,
  type Watch,
  waitingOf,
} from '#shared/domain/evaluation/watch.ts';
import { GREATEST } from '#shared/domain/market/decimal.ts';
import { type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type { Observation, Point, PricePoint } from '#shared/domain/market/point.ts';
import { ALL } from '#shared/domain/rules/threshold-index.ts';
import {
  anObservation,
  aPrice,
  aTrade,
  aWatch,
  eth,
  linesSaid,
  NOON,
} from '#test/support/builders.ts';

const at = (minute: number): Instant => NOON + minute * MINUTE;
const floor = (minute: number, price: string): PricePoint => aPrice(price, { time: at(minute) });
const sale = (minute: number, price: string): PricePoint => aTrade(price, at(minute));

type Answered = {
  readonly recorded?: readonly PricePoint[];
  readonly unevaluated?: readonly Observation[];
  readonly sales?: readonly Observation[];
  readonly lastSale?: Observation | undefined;
  readonly windowsExpiredUntil?: number;
  /** The minute of the answer. */
  readonly minute: number;
};

/** What the evaluation of a minute knows of floors, and of the lowest sales of a day. */
function snapshotOf({
  recorded = [],
  unevaluated = [],
  sales = [],
  lastSale,
  windowsExpiredUntil,
  minute,
}: Answered): Snapshot {
  const last = recorded.at(-1);
  const evaluated = last === undefined ? undefined : anObservation(1, last);
  return {
    parts: {
      floor: {
        newest: unevaluated.at(-1) ?? evaluated,
        unevaluated,
        answeredAt: at(minute),
        recorded,
      },
      'lowest.1d': {
        newest: sales.at(-1) ?? lastSale,
        unevaluated: sales,
        answeredAt: at(minute),
      },
    },
    windowsExpiredUntil: windowsExpiredUntil === undefined ? undefined : at(windowsExpiredUntil),
  };
}

const evaluate = (watch: Watch, answered: Answered): Watch =>
  evaluateWatch(watch, snapshotOf(answered), { now: at(answered.minute), cadenceMinutes: 30 });
const said = ({ outbox }: Watch) =>
  outbox.map(({ kind, dataTime, value }) => {
    return `${(Date.parse(dataTime) - NOON) / MINUTE} ${kind} ${value}`;
  });

const falling = { metric: 'floor_change_pct.1h', threshold: eth('-10') } as const;
const noSale = (minute: number): Point => ({ kind: 'empty', time: at(minute) });
const aSale = (seq: number, point: Point) => anObservation(seq, point, { part: 'lowest.1d' });

describe('a window', () => {
  it('slides though the data stand still', () => {
    const watch = aWatch({ ruleCondition: falling });

    const fired = evaluate(watch, {
      recorded: [floor(-90, '60')],
      unevaluated: [anObservation(2, floor(0, '50'))],
      minute: 1,
    });
    const windowsExpiredTo = evaluate(fired, {
      recorded: [floor(-90, '60'), floor(0, '50')],
      windowsExpiredUntil: 1,
      minute: 61,
    });

    expect(said(fired)).toEqual(['0 fired -16.666666666666666666']);
    expect(said(windowsExpiredTo)).toEqual(['0 fired -16.666666666666666666', '60 recovered 0']);
  });

  it('that slides out of a band fires nothing, and leaves a watch that stood nowhere waiting for any price', () => {
    const condition = { when: 'outside', low: eth('-5'), high: eth('5') } as const;
    const ruleCondition = { metric: 'floor_change_pct.1h', ...condition } as const;
    const recorded = [floor(-90, '66'), floor(-50, '60'), floor(0, '66')];

    const slid = evaluate(aWatch({ ruleCondition }), {
      recorded,
      windowsExpiredUntil: 1,
      minute: 30,
    });
    const moved = evaluate(slid, {
      recorded,
      unevaluated: [anObservation(2, floor(40, '67'))],
      windowsExpiredUntil: 30,
      minute: 41,
    });

    expect(said(slid)).toEqual([]);
    expect(waitingOf(slid)).toEqual({ falling: GREATEST });
    expect(said(moved)).toEqual(['40 fired 11.666666666666666666']);
  });

  it('slides over what came late, though it had slid further before', () => {
    const evaluated = evaluate(aWatch({ ruleCondition: falling }), {
      recorded: [floor(-90, '60')],
      unevaluated: [anObservation(2, floor(0, '50'))],
      windowsExpiredUntil: 62,
      minute: 65,
    });

    expect(said(evaluated)).toEqual(['0 fired -16.666666666666666666', '60 recovered 0']);
  });

  it('that has moved a watch moves it by nothing from before', () => {
    const watch = aWatch({ ruleCondition: falling, state: 'firing', episode: 1, firedAt: at(0) });
    const windowsExpiredTo = evaluate(watch, {
      recorded: [floor(-90, '60'), floor(0, '50')],
      windowsExpiredUntil: 1,
      minute: 61,
    });

    const late = evaluate(windowsExpiredTo, {
      recorded: [floor(-90, '60'), floor(0, '50')],
      unevaluated: [anObservation(2, floor(5, '40'), { previous: floor(0, '50') })],
      windowsExpiredUntil: 61,
      minute: 66,
    });

    expect(said(late)).toEqual(['60 recovered 0', '60 fired -20', '65 recovered 0']);
  });

  it('does not count as an observation, and ends the episode that those have confirmed', () => {
    const watch = aWatch({ ruleCondition: { ...falling, confirm: { times: 2, of: 2 } } });
    const unevaluated = [anObservation(2, floor(0, '50')), anObservation(3, floor(10, '50'))];
    const recorded = [floor(-90, '60')];

    expect(said(evaluate(watch, { recorded, unevaluated, minute: 70 }))).toEqual([
      '10 fired -16.666666666666666666',
      '60 recovered 0',
    ]);
    expect(
      said(evaluate(watch, { recorded, unevaluated: unevaluated.slice(0, 1), minute: 59 })),
    ).toEqual([]);
  });

  it('is held for its time between window expiries', () => {
    const watch = aWatch({ ruleCondition: { ...falling, for: 30 * MINUTE } });
    const brief = aWatch({ ruleCondition: { ...falling, for: 61 * MINUTE } });
    const answered = {
      recorded: [floor(-90, '60')],
      unevaluated: [anObservation(2, floor(0, '50'))],
      minute: 90,
    };

    expect(said(evaluate(watch, answered))).toEqual([
      '30 fired -16.666666666666666666',
      '60 recovered 0',
    ]);
    expect(said(evaluate(brief, answered))).toEqual([]);
  });

  it('expires before a timer of the same instant, so what ends there has not lasted until it', () => {
    const watch = aWatch({ ruleCondition: { ...falling, for: 60 * MINUTE } });

    const evaluated = evaluate(watch, {
      recorded: [floor(-90, '60')],
      unevaluated: [anObservation(2, floor(0, '50'))],
      minute: 90,
    });

    expect([evaluated.state, evaluated.stateSince, said(evaluated)]).toEqual(['ok', at(60), []]);
  });

  it('goes by the last report of a floor, also of one that was held back when it came', () => {
    const watch = aWatch({
      ruleCondition: {
        ...{ metric: 'floor_drawdown_pct.1h', when: 'above', threshold: eth('2') },
        keepFor: 60 * MINUTE,
      },
      ...{ state: 'firing', episode: 1, firedAt: at(-10), evaluatedSeq: 2 },
    });
    const outlier = floor(3, '310.5');
    const next = anObservation(3, floor(2100, '62.1'), {
      ...{ previous: outlier, stood: floor(0, '56') },
    });
    const recoveredWith = (reported: PricePoint) =>
      said(
        evaluate(watch, {
          recorded: [floor(-38, '57.3'), floor(-36, '56.9'), floor(0, '56'), reported],
          unevaluated: [next],
          windowsExpiredUntil: 10,
          minute: 2100,
        }),
      );

    expect(recoveredWith({ ...outlier, observedAs: 'outlier' })).toEqual(['84 recovered 0']);
    expect(recoveredWith(floor(3, '62.1'))).toEqual(['82 recovered 0']);
  });

  it('starts a new watch with where it has slid to', () => {
    const watch = aWatch({ ruleCondition: falling, state: 'unknown', since: at(70) });
    const recorded = [floor(-90, '60'), floor(0, '50')];

    const begun = evaluate(watch, { recorded, minute: 71 });

    expect(said(begun)).toEqual([]);
    expect([begun.state, begun.stateSince]).toEqual(['ok', at(60)]);
  });
});

describe('news of two parts', () => {
  const off = aWatch({
    ruleCondition: { metric: 'sale_discount_pct.1d', when: 'above', threshold: eth('20') },
  });
  const recorded = [floor(-90, '60')];
  const lastSale = aSale(1, sale(-60, '50'));

  it('are evaluated in the order of their time, whichever was asked first', () => {
    const unevaluated = [anObservation(2, floor(10, '52')), anObservation(3, floor(30, '70'))];
    const first = aSale(4, { ...sale(20, '48') });

    const evaluated = evaluate(off, {
      recorded,
      unevaluated,
      sales: [{ ...first, previous: sale(-60, '50') }],
      lastSale,
      minute: 40,
    });

    expect(said(evaluated)).toEqual(['30 fired 31.428571428571428571']);
  });

  it('are evaluated by the newest of the other where they came late', () => {
    const fired = evaluate(off, {
      recorded,
      unevaluated: [anObservation(2, floor(30, '70'))],
      lastSale,
      minute: 40,
    });

    const late = evaluate(fired, {
      recorded: [...recorded, floor(30, '70')],
      sales: [aSale(3, { ...sale(20, '60') })],
      minute: 50,
    });

    expect(said(late)).toEqual([
      '30 fired 28.571428571428571428',
      '30 recovered 14.285714285714285714',
    ]);
  });
});

describe('conditions that must hold together', () => {
  const both = aWatch({
    ruleCondition: {
      threshold: eth('60'),
      also: [
        {
          metric: 'lowest_price.1d',
          unit: 'eth',
          condition: { when: 'below', threshold: eth('50') },
        },
      ],
    },
  });
  const [low, high] = [[floor(-90, '59')], [floor(-90, '61')]];

  it.each<readonly [what: string, readonly PricePoint[], Point | undefined, state: string]>([
    ['all of them do', low, sale(0, '50'), 'firing'],
    ['one does not', low, sale(0, '51'), 'ok'],
    ['one does not, and another is not known', high, undefined, 'ok'],
    ['one is not known', low, undefined, 'unknown'],
    ['no trade is left to be below a line', low, noSale(0), 'ok'],
  ])('stand where they do as soon as it is known: %s', (_what, recorded, sold, state) => {
    const watch = { ...both, state: 'unknown' as const, since: at(0) };
    const lastSale = sold && aSale(2, sold);

    expect(evaluate(watch, { recorded, lastSale, minute: 1 }).state).toBe(state);
  });

  it('wait for the first that is not met, and are asked to hold no more in words that are true', () => {
    const fired = evaluate(both, { recorded: low, sales: [aSale(2, sale(0, '49'))], minute: 1 });
    const lastSale = aSale(2, sale(0, '49'));
    const sales = [aSale(3, sale(5, '55'))];

    const over = evaluate(fired, { recorded: low, lastSale, sales, minute: 6 });

    expect([thresholdIndexOf(fired), waitingOf(fired)]).toEqual([ALL, { falling: GREATEST }]);
    expect([thresholdIndexOf(over).metric, waitingOf(over)]).toEqual([
      'lowest_price.1d',
      { falling: eth('50') },
    ]);
    const [, recovered] = over.outbox;
    expect(recovered && linesSaid(recovered).slice(0, 6)).toEqual([
      'Resolved: eth:0xb47e3c…3bbb below 60 ETH and 1 more condition: 59 ETH, lasted 5 min',
      'Condition 1: floor price 59 ETH (at or below 60 ETH)',
      'Condition 2: lowest sale in 1 day 55 ETH (not met: at or below 50 ETH)',
      'Recovered: not all conditions hold any more',
      'Was: 59 ETH',
      'Change: 0.0 %',
    ]);
  });

  it('hold no more when no trade is left in the window', () => {
    const fired = evaluate(both, { recorded: low, sales: [aSale(2, sale(0, '49'))], minute: 1 });

    const over = evaluate(fired, {
      recorded: low,
      lastSale: aSale(2, sale(0, '49')),
      sales: [aSale(3, noSale(5))],
      minute: 6,
    });

    expect(said(over)).toEqual(['0 fired 59', '5 recovered 59']);
    expect(over.outbox.at(-1)?.facts).toContainEqual({
      name: 'Condition 2',
      value: 'lowest sale in 1 day no sale left (not met: at or below 50 ETH)',
    });
  });

  it('are not called unmet in the alert while their value is not known', () => {
    const fired = evaluate(both, { recorded: low, sales: [aSale(2, sale(0, '49'))], minute: 1 });
    const rising = [anObservation(3, floor(5, '61'))];

    const over = evaluate(fired, { recorded: low, unevaluated: rising, minute: 6 });

    expect(over.outbox.at(-1)?.facts.slice(0, 2)).toEqual([
      { name: 'Condition 1', value: 'floor price 61 ETH (not met: at or below 60 ETH)' },
      { name: 'Condition 2', value: 'lowest sale in 1 day not known (at or below 50 ETH)' },
    ]);
  });

  it('of which one was never on the good side wait for that with "cross"', () => {
    const watch = {
      ...both,
      ruleCondition: { ...both.ruleCondition, arm: 'cross' as const },
      state: 'unknown' as const,
      since: at(0),
    };
    const begun = evaluate(watch, { recorded: low, lastSale: aSale(2, sale(0, '49')), minute: 1 });
    const lastSale = aSale(2, sale(0, '49'));
    const good = evaluate(begun, {
      recorded: low,
      lastSale,
      unevaluated: [anObservation(3, floor(2, '61'))],
      minute: 3,
    });
    const crossed = evaluate(good, {
      recorded: [...low, floor(2, '61')],
      lastSale,
      unevaluated: [anObservation(4, floor(4, '58'), { previous: floor(2, '61') })],
      minute: 5,
    });

    expect([begun.state, good.state, crossed.state]).toEqual(['disarmed', 'ok', 'firing']);
    expect(said(crossed)).toEqual(['4 fired 58']);
  });
});

it('an episode that ends before the instant which began it has lasted no time', () => {
  const pending = aWatch({ ruleCondition: { for: 30 * MINUTE } });
  const fired = evaluate(pending, {
    recorded: [floor(-90, '61')],
    unevaluated: [anObservation(2, floor(0, '59'))],
    minute: 31,
  });

  const late = evaluate(fired, {
    recorded: [floor(-90, '61'), floor(0, '59')],
    unevaluated: [anObservation(3, floor(20, '65'), { previous: floor(0, '59') })],
    minute: 35,
  });

  expect(said(late)).toEqual(['30 fired 59', '20 recovered 65']);
  expect(late.outbox[1]?.duration).toBe('0s');
});

it('no reminder is of a time before the rule was written', () => {
  const watch = aWatch({
    state: 'unknown',
    since: at(0),
    repeatPolicy: { repeat: 'every', reminder: 60 * MINUTE },
  });

  const begun = evaluate(watch, { recorded: [floor(-150, '59')], minute: 1 });

  expect(said(begun)).toEqual(['-150 fired 59']);
  expect(nextTimer(begun)).toBe(at(30));
});

it('the furthest that a window has slid to is reported at the end', () => {
  const watch = aWatch({
    ruleCondition: { metric: 'floor_change_pct.1h', when: 'above', threshold: eth('5') },
  });
  const recorded = [floor(-90, '55'), floor(-50, '50')];
  const fired = evaluate(watch, {
    recorded,
    unevaluated: [anObservation(2, floor(0, '60'))],
    minute: 1,
  });

  const over = evaluate(fired, {
    recorded: [...recorded, floor(0, '60')],
    windowsExpiredUntil: 1,
    minute: 61,
  });

  expect(said(over)).toEqual(['0 fired 9.090909090909090909', '60 recovered 0']);
  expect(over.outbox[1]?.extreme).toBe('20');
});

describe('a timer whose time has come after floors were fetched', () => {
  const observed = (minute: number, price: string) =>
    ({ ...floor(minute, price), observedAs: 'price' }) as const;

  it('ends a wait by what the window is then known to have been', () => {
    const watch = aWatch({
      ruleCondition: { ...falling, for: 10 * MINUTE },
      state: 'pending',
      stateSince: at(0),
      evaluatedUntil: at(0),
      evaluatedSeq: 1,
    });
    const timed = (recorded: readonly PricePoint[]) =>
      said(evaluate(watch, { recorded, windowsExpiredUntil: 11, minute: 11 }));

    expect(timed([floor(-90, '60'), floor(0, '50')])).toEqual(['10 fired -16.666666666666666666']);
    expect(timed([floor(-90, '55'), floor(0, '50')])).toEqual([]);
  });

  it('meets once more what came after it, since that was evaluated in another state', () => {
    const rising = { metric: 'floor_runup_pct.6h', when: 'above', threshold: eth('3') } as const;
    const recorded = [floor(-60, '50'), floor(0, '51'), observed(10, '50'), observed(15, '50')];
    const recovering = aWatch({
      ruleCondition: { ...rising, recover: eth('1'), keepFor: 9 * MINUTE },
      ...{ state: 'recovering', stateSince: at(0), firedAt: at(-10), episode: 1 },
      ...{ evaluatedUntil: at(0), evaluatedSeq: 0 },
    });

    expect(said(evaluate(recovering, { recorded, windowsExpiredUntil: 20, minute: 20 }))).toEqual([
      '19 recovered 0',
    ]);
  });

  it('begins a wait anew by the move that came after it', () => {
    const recorded = [floor(-90, '60'), floor(0, '58'), observed(10, '50'), observed(20, '49')];
    const pending = aWatch({
      ruleCondition: { ...falling, for: 5 * MINUTE },
      ...{ state: 'pending', stateSince: at(0), evaluatedUntil: at(0), evaluatedSeq: 0 },
    });

    expect(said(evaluate(pending, { recorded, windowsExpiredUntil: 20, minute: 21 }))).toEqual([
      '15 fired -16.666666666666666666',
    ]);
  });

  it('reports the price that was observed, of a watch that rests on observations', () => {
    const watch = aWatch({
      ruleCondition: { metric: 'floor_price', threshold: eth('50'), keepFor: 10 * MINUTE },
      state: 'recovering',
      stateSince: at(0),
      firedAt: at(-60),
      episode: 1,
      evaluatedSeq: 1,
    });

    const recorded = [observed(0, '55'), floor(5, '45'), observed(20, '56')];

    expect(said(evaluate(watch, { recorded, minute: 21 }))).toEqual(['10 recovered 55']);
  });
});
