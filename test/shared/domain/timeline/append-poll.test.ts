import { describe, expect, it } from 'vitest';
import { formatDecimal } from '#shared/domain/market/decimal.ts';
import { type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type { Point, PricePoint } from '#shared/domain/market/point.ts';
import { PRICE_SERIES_NAMES, type PriceSeriesName } from '#shared/domain/market/price-series.ts';
import { appendPoll, type PollAnswers } from '#shared/domain/timeline/append-poll.ts';
import {
  evaluatedTo,
  newestReading,
  newTimeline,
  type Step,
  type Timeline,
} from '#shared/domain/timeline/timeline.ts';
import { answeredBy, aPrice, aTrade, eth, NOON } from '#test/support/builders.ts';

const at = (minute: number): Instant => NOON + minute * MINUTE;
/** A floor from this minute after noon. */
const floor = (minute: number, price: string, given: Partial<PricePoint> = {}): PricePoint =>
  aPrice(price, { time: at(minute), ...given });
const confirmed = { confirmedBy: 'coingecko' } as const;

type Poll = {
  readonly asked?: number;
  readonly floors?: readonly PricePoint[];
  readonly latest?: PollAnswers['latest'];
  readonly answered?: readonly PriceSeriesName[];
  readonly isDue?: boolean;
};

/** Appends polls, each at the time of its newest floor unless a minute is given. */
function polled(timeline: Timeline, ...polls: readonly Poll[]): Timeline {
  return polls.reduce((before, { asked, floors = [], latest = {}, isDue = false, ...given }) => {
    const newest = Math.max(...floors.map(({ time }) => (time - NOON) / MINUTE));
    const { answered = PRICE_SERIES_NAMES } = given;
    return appendPoll(
      before,
      {
        ...answeredBy(at(asked ?? newest), answered),
        ...(answered.includes('floor') ? { floors } : {}),
        latest,
      },
      isDue,
    );
  }, timeline);
}

/** A contract after one evaluated poll for each floor; by default one floor of 10 at noon. */
function known(...floors: readonly PricePoint[]): Timeline {
  const first = floors.length === 0 ? [floor(0, '10')] : floors;
  const timeline = first.reduce((before, one) => polled(before, { floors: [one] }), newTimeline(0));
  return evaluatedTo(timeline, timeline.seq);
}

/** The pending steps, except those for timers: their times, and the new points of each series. */
function textsOf({ steps }: Pick<Timeline, 'steps'>): readonly string[] {
  return steps.filter(({ forTimers }) => forTimers === undefined).map(textOf);
}

function textOf({ at: time, points }: Step): string {
  const { reported, floor: accepted, agreed, ...sales } = points;
  const words = [
    ...(reported === accepted ? [] : [wordOf('reported', reported)]),
    wordOf('floor', accepted),
    agreed?.kind === 'price' && agreed.isWithheld === undefined ? wordOf('agreed', agreed) : '',
    ...Object.entries(sales).map(([name, sale]) => wordOf(name, sale)),
  ];
  return [`${(time - NOON) / MINUTE}:`, ...words.filter((word) => word !== '')].join(' ');
}

function wordOf(name: string, point: Point | undefined): string {
  if (point === undefined) return '';
  const value = point.kind === 'price' ? formatDecimal(point.price) : point.kind;
  return `${name} ${value}@${(point.time - NOON) / MINUTE}`;
}

describe('the steps of a poll', () => {
  it('the first answer makes one step with its newest floor', () => {
    const timeline = polled(newTimeline(0), { floors: [floor(1, '9'), floor(2, '8')] });

    expect(textsOf(timeline)).toEqual(['2: floor 8@2']);
  });

  it('an answer makes one step for each new floor, oldest first', () => {
    const floors = [floor(3, '8'), floor(1, '9'), floor(2, '8.5')];

    expect(textsOf(polled(known(), { floors }))).toEqual([
      '1: floor 9@1',
      '2: floor 8.5@2',
      '3: floor 8@3',
    ]);
  });

  it('an answer with 60 new floors makes steps of the 48 newest', () => {
    const floors = Array.from({ length: 60 }, (_, index) => floor(index + 1, '9'));

    const steps = textsOf(polled(known(), { floors }));

    expect([steps.length, steps.at(0), steps.at(-1)]).toEqual([
      48,
      '13: floor 9@13',
      '60: floor 9@60',
    ]);
  });

  it('if two floors of an answer have the same time, only the later line makes a step', () => {
    const floors = [floor(1, '9'), floor(1, '8')];

    expect(textsOf(polled(known(), { floors }))).toEqual(['1: floor 8@1']);
  });

  it.each<readonly [what: string, floor: PricePoint]>([
    ['a floor that is older than the newest', floor(-1, '9')],
    ['the newest floor again', floor(0, '10')],
    ['the newest floor again, from another marketplace', floor(0, '10', { source: 'blur' })],
    ['a floor from the future', floor(5, '9')],
  ])('a poll makes no step for %s', (_what, one) => {
    expect(polled(known(), { asked: 1, floors: [one] }).steps).toEqual([]);
  });

  it('a floor from the future makes a step once its time has come', () => {
    const early = polled(known(), { asked: 1, floors: [floor(5, '9')] });

    expect(textsOf(polled(early, { asked: 4 }))).toEqual([]);
    expect(textsOf(polled(early, { asked: 5 }))).toEqual(['5: floor 9@5']);
  });

  it('a floor from the future stays confirmed if its provider repeats it', () => {
    const confirmed = floor(5, '9', { confirmedBy: 'coingecko' });
    const early = polled(known(), { asked: 1, floors: [confirmed] });

    const { steps } = polled(early, { asked: 5, floors: [floor(5, '9')] });

    expect(steps.map(textOf)).toEqual(['5: floor 9@5 agreed 9@5']);
  });

  it('a floor from the future makes its step with the next answer for floors', () => {
    const early = polled(known(), { asked: 1, floors: [floor(5, '9')] });

    const meanwhile = polled(early, { asked: 6, answered: ['lowest.1d'] });

    expect(textsOf(meanwhile)).toEqual([]);
    expect(textsOf(polled(meanwhile, { asked: 7 }))).toEqual(['5: floor 9@5']);
  });

  it('a floor older than a suspect makes no step', () => {
    const timeline = known(floor(0, '10'), floor(2, '5'));

    expect(textsOf(polled(timeline, { asked: 3, floors: [floor(1, '9')] }))).toEqual([]);
  });

  it('steps have consecutive numbers across polls', () => {
    const first = polled(newTimeline(7), { floors: [floor(0, '10')] });
    const second = polled(first, { floors: [floor(1, '9'), floor(2, '8')] });

    expect(second.steps.map(({ seq }) => seq)).toEqual([8, 9, 10]);
    expect(second.seq).toBe(10);
  });

  it('a step is never earlier than the previous step', () => {
    const latest = { 'lowest.1d': aTrade('8', at(10)) } as const;
    const sold = polled(known(), { asked: 10, latest });

    const timeline = polled(sold, { asked: 11, floors: [floor(5, '9')] });

    expect(textsOf(timeline)).toEqual(['10: lowest.1d 8@10', '10: floor 9@5']);
  });

  it('a step is never later than its poll', () => {
    const latest = { 'lowest.1d': aTrade('8', at(10)) } as const;

    expect(textsOf(polled(known(), { asked: 4, latest }))).toEqual(['4: lowest.1d 8@10']);
  });

  it('new steps do not change the reading before them', () => {
    const timeline = polled(known(), { floors: [floor(1, '9')] });

    expect(timeline.before.floor).toMatchObject({ time: at(0) });
    expect(newestReading(timeline).floor).toMatchObject({ time: at(1) });
  });
});

describe('the floors and sales of one poll', () => {
  const latest = { 'lowest.1d': aTrade('8', at(2)) } as const;

  it('the last step of a poll contains its sales, because one poll is one observation', () => {
    const timeline = polled(known(), {
      asked: 5,
      floors: [floor(1, '9'), floor(3, '9.5')],
      latest,
    });

    expect(textsOf(timeline)).toEqual(['1: floor 9@1', '3: floor 9.5@3 lowest.1d 8@2']);
  });

  it('a step with a floor and a sale has the later of their times', () => {
    const timeline = polled(known(), { asked: 5, floors: [floor(1, '9')], latest });

    expect(textsOf(timeline)).toEqual(['2: floor 9@1 lowest.1d 8@2']);
  });

  it.each<readonly [what: string, sale: Point, isNew: boolean]>([
    ['the same sale', aTrade('8', at(2)), false],
    ['the same sale with another price in dollars', aTrade('8', at(2), { usd: 1n }), false],
    ['another price', aTrade('7', at(2)), true],
    ['another sale of that price', aTrade('8', at(3)), true],
    ['an empty window', { kind: 'empty', time: at(4) }, true],
  ])('a sale is new if its price or its time differs: %s', (_what, sale, isNew) => {
    const sold = polled(known(), { asked: 2, latest });
    const evaluated = evaluatedTo(sold, sold.seq);

    const timeline = polled(evaluated, { asked: 5, latest: { 'lowest.1d': sale } });

    expect(timeline.steps.length > 0).toBe(isNew);
  });
});

describe('polls that report nothing new', () => {
  it('a poll that reports nothing new makes no step', () => {
    const timeline = known();

    expect(polled(timeline, { asked: 5, floors: [floor(0, '10')] })).toEqual(timeline);
  });

  it('a poll that reports nothing new makes an empty step if a timer is due', () => {
    const { steps } = polled(known(), { asked: 5, isDue: true });

    expect(steps).toMatchObject([{ at: at(5), asked: at(5), points: {} }]);
  });
});

describe('the step for timers', () => {
  it('a poll with new points ends with an empty step at the time of the poll, for timers', () => {
    const { steps } = polled(known(), { asked: 5, floors: [floor(1, '9')] });

    expect(steps.map(({ at: time, forTimers }) => [time, forTimers])).toEqual([
      [at(1), undefined],
      [at(5), true],
    ]);
  });

  it('a poll whose last step is at the time of the poll adds no step for timers', () => {
    const { steps } = polled(known(), { asked: 5, floors: [floor(5, '9')] });

    expect(steps).toHaveLength(1);
  });
});

describe('a suspect', () => {
  it.each<readonly [floor: string, isSuspect: boolean]>([
    ['7', true],
    ['7.000000000000000001', false],
    ['14.285714285714285715', true],
    ['14.285714285714285714', false],
  ])(
    'a floor is a suspect if either it or the previous floor is at most 70%% of the other: 10, then %s',
    (price, is) => {
      const timeline = polled(known(), { floors: [floor(1, price)] });

      expect(textsOf(timeline)).toEqual([`1: ${is ? 'reported' : 'floor'} ${price}@1`]);
      expect(timeline.suspect !== undefined).toBe(is);
    },
  );

  it.each([
    { reported: ['10', '2'], suspect: '2' },
    { reported: ['10', '2', '10.1'], suspect: undefined },
    { reported: ['10', '2', '2.1'], suspect: undefined },
  ])('a first answer of $reported has the suspect $suspect', ({ reported, suspect }) => {
    const floors = reported.map((price, minute) => floor(minute, price));

    expect(polled(newTimeline(0), { floors }).suspect?.price).toBe(suspect && eth(suspect));
  });

  it('a far floor that a second source reports is accepted', () => {
    const timeline = polled(known(), { floors: [floor(1, '5', confirmed)] });

    expect(textsOf(timeline)).toEqual(['1: floor 5@1 agreed 5@1']);
  });

  it('a floor in another currency is accepted', () => {
    const timeline = polled(known(), { floors: [floor(1, '9000', { currency: 'usdc' })] });

    expect(textsOf(timeline)).toEqual(['1: floor 9000@1']);
  });

  it.each<readonly [what: string, next: string, steps: readonly string[]]>([
    ['confirms it if it is nearer to it', '5.1', ['1: floor 5@1', '2: floor 5.1@2']],
    ['contradicts it if it is nearer to the price before', '9', ['2: floor 9@2']],
    ['is the new suspect if it is far from the price before, too', '50', ['2: reported 50@2']],
    ['confirms it from beyond', '4', ['1: floor 5@1', '2: floor 4@2']],
  ])('the next price after a suspect %s', (_what, next, steps) => {
    const suspected = known(floor(0, '10'), floor(1, '5'));

    expect(textsOf(polled(suspected, { floors: [floor(2, next)] }))).toEqual(steps);
  });

  it('a suspect is a glitch if the next price is as near to the price before it as to the suspect', () => {
    const suspected = known(floor(0, '10'), floor(1, '4.9'));
    const tie = known(floor(0, '10'), floor(1, '4.9'), floor(2, '7'));

    expect(textsOf(polled(suspected, { floors: [floor(2, '7')] }))).toEqual(['2: reported 7@2']);
    expect(textsOf(polled(tie, { floors: [floor(3, '10')] }))).toEqual(['3: floor 10@3']);
  });

  it('one answer may contain a suspect and the price that confirms or refutes it', () => {
    const glitch = [floor(1, '5'), floor(2, '10')];
    const move = [floor(1, '5'), floor(2, '5.1')];

    expect(textsOf(polled(known(), { floors: glitch }))).toEqual([
      '1: reported 5@1',
      '2: floor 10@2',
    ]);
    expect(textsOf(polled(known(), { floors: move }))).toEqual([
      '1: reported 5@1',
      '1: floor 5@1',
      '2: floor 5.1@2',
    ]);
  });

  it('a floor in another currency neither confirms nor refutes a suspect', () => {
    const suspected = known(floor(0, '10'), floor(1, '5'));
    const other = polled(suspected, { floors: [floor(2, '9000', { currency: 'usdc' })] });

    expect(textsOf(polled(other, { floors: [floor(3, '5.1')] }))).toEqual([
      '2: floor 9000@2',
      '2: floor 5@1',
      '3: floor 5.1@3',
    ]);
  });

  it.each([
    { asked: 25 * 60, counts: false },
    { asked: 25 * 60 + 1, counts: true },
  ])(
    'a suspect is accepted 25 hours after its time, at the time of the poll: $counts',
    ({ asked, counts }) => {
      const suspected = known(floor(0, '10'), floor(1, '5'));

      const timeline = polled(suspected, { asked, floors: [floor(1, '5')] });

      expect(textsOf(timeline)).toEqual(counts ? [`${asked}: floor 5@1`] : []);
      expect(timeline.suspect === undefined).toBe(counts);
    },
  );

  it('a suspect is not accepted after 25 hours by a poll that answered only sales', () => {
    const suspected = known(floor(0, '10'), floor(1, '5'));

    expect(polled(suspected, { asked: 26 * 60, answered: ['lowest.1d'] })).toEqual(suspected);
  });

  it('a price after 25 hours still confirms or refutes a suspect', () => {
    const suspected = known(floor(0, '10'), floor(1, '5'));

    expect(textsOf(polled(suspected, { floors: [floor(26 * 60, '10')] }))).toEqual([
      `${26 * 60}: floor 10@${26 * 60}`,
    ]);
  });
});

describe('a second source', () => {
  it('a floor that a second source confirms at once is `agreed` in the same step', () => {
    expect(textsOf(polled(known(), { floors: [floor(1, '9', confirmed)] }))).toEqual([
      '1: floor 9@1 agreed 9@1',
    ]);
  });

  it('a later confirmation makes a step of its own, with the time of the floor', () => {
    const timeline = polled(known(), { asked: 5, floors: [floor(0, '10', confirmed)] });

    expect(textsOf(timeline)).toEqual(['0: agreed 10@0']);
  });

  it('a later confirmation turns a suspect into an accepted floor', () => {
    const suspected = known(floor(0, '10'), floor(1, '5'));

    const timeline = polled(suspected, { asked: 5, floors: [floor(1, '5', confirmed)] });

    expect(textsOf(timeline)).toEqual(['1: floor 5@1 agreed 5@1']);
    expect(timeline.suspect).toBeUndefined();
  });

  it('a floor from a single source is withheld in `agreed`', () => {
    const timeline = polled(known(), { floors: [floor(1, '9')] });

    expect(newestReading(timeline).agreed).toMatchObject({ time: at(1), isWithheld: true });
  });
});

describe('a revision', () => {
  it.each<readonly [what: string, floor: PricePoint]>([
    ['another price of the newest time', floor(0, '9')],
    ['another price in dollars', floor(0, '10', { usd: 1n })],
    ['another currency', floor(0, '10', { currency: 'usdc' })],
  ])('a revision makes a step: %s', (_what, one) => {
    expect(textsOf(polled(known(), { asked: 5, floors: [one] }))).toHaveLength(1);
  });

  it('a revision is compared with the price before the revised one', () => {
    const timeline = known(floor(0, '10'), floor(1, '7.5'));

    const revised = polled(timeline, { asked: 2, floors: [floor(1, '6')] });

    expect(textsOf(revised)).toEqual(['1: reported 6@1']);
    expect(revised.suspect).toBeDefined();
  });

  it('a revision that is an outlier does not replace the accepted price until the next price confirms it', () => {
    const timeline = known(floor(0, '10'), floor(1, '9'));
    const revised = polled(timeline, { asked: 2, floors: [floor(1, '5')] });

    expect(newestReading(revised).floor).toMatchObject({ time: at(1), price: floor(1, '9').price });
    expect(textsOf(polled(revised, { floors: [floor(3, '5.1')] })).slice(1)).toEqual([
      '2: floor 5@1',
      '3: floor 5.1@3',
    ]);
    expect(textsOf(polled(revised, { floors: [floor(3, '9.1')] })).slice(1)).toEqual([
      '3: floor 9.1@3',
    ]);
  });

  it('a revision of a suspect does not confirm it', () => {
    const suspected = known(floor(0, '10'), floor(1, '5'));

    const revised = polled(suspected, { asked: 2, floors: [floor(1, '5.1')] });

    expect(textsOf(revised)).toEqual(['1: reported 5.1@1']);
  });

  it('a revision of a suspect to a near price is accepted', () => {
    const suspected = known(floor(0, '10'), floor(1, '5'));

    const revised = polled(suspected, { asked: 2, floors: [floor(1, '9')] });

    expect(textsOf(revised)).toEqual(['1: floor 9@1']);
    expect(revised.suspect).toBeUndefined();
  });

  it('a revision of the floor that confirmed a suspect is compared with the suspect', () => {
    const confirmedMove = known(floor(0, '10'), floor(1, '5'), floor(2, '5.1'));

    const revised = polled(confirmedMove, { asked: 3, floors: [floor(2, '10')] });

    expect(textsOf(revised)).toEqual(['2: reported 10@2']);
  });
});

describe('many pending steps', () => {
  const waiting = Array.from({ length: 200 }, (_, index) => index + 1).reduce(
    (timeline, minute) => polled(timeline, { floors: [floor(minute, minute % 2 ? '9' : '10')] }),
    known(),
  );

  it('at most 96 steps are pending', () => {
    expect(waiting.steps.length).toBeLessThanOrEqual(96);
  });

  it('at most 96 empty steps are pending', () => {
    const minutes = Array.from({ length: 200 }, (_, index) => index + 1);

    const { steps } = polled(known(), ...minutes.map((asked) => ({ asked, isDue: true })));

    expect(steps.length).toBeLessThanOrEqual(96);
  });

  it('merged steps keep the newest reading and the number of the last step', () => {
    expect(waiting.seq).toBe(known().seq + 200);
    expect(waiting.steps.at(-1)?.seq).toBe(waiting.seq);
    expect(newestReading(waiting).floor).toMatchObject({ time: at(200) });
  });

  it.each([0, 1, 2, 3])(
    'a step for timers that is merged with points becomes a step with points (%i more)',
    (more) => {
      const price = (minute: number) => (minute % 2 ? '9' : '10');
      const polls = Array.from({ length: 60 }, (_, index) => ({
        ...{ asked: index + 1.5, isDue: true, floors: [floor(index + 1, price(index))] },
      }));
      const empty = Array.from({ length: more }, (_, index) => ({
        asked: 70 + index,
        isDue: true,
      }));

      const { steps } = polled(known(), ...polls, ...empty);

      const wrong = steps.filter(
        ({ points, forTimers }) => forTimers === true && Object.keys(points).length > 0,
      );
      expect(steps.some(({ forTimers }) => forTimers === true)).toBe(true);
      expect(wrong).toEqual([]);
    },
  );

  it('a merged step has the newest of its points', () => {
    const [first, second] = waiting.steps;

    expect(first?.points.floor?.time).toBe(first?.at);
    expect(second?.at).toBe(at(106));
  });
});
