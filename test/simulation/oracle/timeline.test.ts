import { describe, expect, it } from 'vitest';
import { answerAt, floorAt, minute, tenths } from './small-market.ts';
import { type Answer, commit, createTimeline } from './timeline.ts';

/** Steps of the last answer: minute, and the series with a new point. */
function stepsAfter(...answers: readonly Answer[]): readonly string[] {
  let timeline = createTimeline();
  let steps: readonly string[] = [];
  for (const answer of answers) {
    const committed = commit(timeline, answer);
    timeline = committed.timeline;
    steps = committed.steps.map(({ at, points, forTimers }) =>
      [at / minute(1), ...Object.keys(points).toSorted(), ...(forTimers ? ['forTimers'] : [])].join(
        ' ',
      ),
    );
  }
  return steps;
}

const QUIET = { isTimerDue: false };
const first = answerAt(0, { floors: [floorAt(0, 100)], ...QUIET });

it('a poll with steps ends with a step at the time of its request', () => {
  const answer = answerAt(10, { floors: [floorAt(3, 100), floorAt(5, 101)] });

  expect(stepsAfter(first, answer)).toEqual([
    '3 agreed floor reported',
    '5 agreed floor reported',
    '10 forTimers',
  ]);
});

it('a poll without changes has one step without points if a timer is due', () => {
  expect(stepsAfter(first, answerAt(10, QUIET))).toEqual([]);
  expect(stepsAfter(first, answerAt(10))).toEqual(['10']);
});

it('the newest floor of the first poll is compared with earlier floors, but not with a glitch', () => {
  const far = answerAt(10, { floors: [floorAt(3, 100), floorAt(10, 50)] });
  const near = answerAt(10, { floors: [floorAt(3, 100), floorAt(5, 50), floorAt(10, 101)] });

  expect(stepsAfter(far)).toEqual(['10 agreed reported']);
  expect(stepsAfter(near)).toEqual(['10 agreed floor reported']);
});

it('a floor in the future takes effect once its time is reached', () => {
  const ahead = { floors: [floorAt(13, 101)], ...QUIET };

  expect(stepsAfter(first, answerAt(10, ahead))).toEqual([]);
  expect(stepsAfter(first, answerAt(10, ahead), answerAt(13, QUIET))).toEqual([
    '13 agreed floor reported',
  ]);
});

it('the step of a late floor has the time of the previous step', () => {
  const answers = [3, 4].map((time) => answerAt(10 * time, { floors: [floorAt(time, 100)] }));

  expect(stepsAfter(first, ...answers)).toEqual(['30 agreed floor reported', '40 forTimers']);
});

describe('a suspect', () => {
  const suspected = answerAt(5, { floors: [floorAt(5, 60)], ...QUIET });

  it('a suspect changes only the series of all reported floors', () => {
    expect(stepsAfter(first, suspected)).toEqual(['5 agreed reported']);
  });

  it('a floor in another currency neither confirms nor refutes a suspect', () => {
    const other = answerAt(6, { floors: [floorAt(6, 60, { currency: 'usdc' })] });
    const like = answerAt(7, { floors: [floorAt(7, 61)] });

    expect(stepsAfter(first, suspected, other, like)).toEqual([
      '6 floor',
      '7 agreed floor reported',
    ]);
  });

  it('a floor is not compared with a price in another currency', () => {
    const other = answerAt(6, { floors: [floorAt(6, 20, { currency: 'usdc' })] });

    expect(stepsAfter(first, other)).toEqual(['6 agreed floor reported']);
  });

  it('a suspect is accepted after 25 hours, but only with an answer about floors', () => {
    const late = 25 * 60 + 5;

    expect(stepsAfter(first, suspected, answerAt(late - 1, QUIET))).toEqual([]);
    expect(
      stepsAfter(first, suspected, answerAt(late, { answered: ['lowest.1d'], ...QUIET })),
    ).toEqual([]);
    expect(stepsAfter(first, suspected, answerAt(late, QUIET))).toEqual([`${late} floor`]);
  });
});

describe('a confirmation', () => {
  const confirmed = answerAt(2, { floors: [floorAt(0, 100, { confirmedBy: 'other' })] });

  it('a later confirmation of a floor is a separate step', () => {
    expect(stepsAfter(first, confirmed)).toEqual(['0 agreed', '2 forTimers']);
  });

  it('a confirmation stays if a later answer repeats the floor without it', () => {
    expect(stepsAfter(first, confirmed, { ...first, asked: minute(3) })).toEqual([]);
  });
});

describe('a floor without a reported time', () => {
  const ofNow = (minutes: number, price: number) =>
    answerAt(minutes, {
      floors: [{ time: undefined, price: tenths(price), currency: 'eth' }],
      ...QUIET,
    });

  it('a floor without a reported time is a new point if its value differs or ten minutes have passed', () => {
    expect(stepsAfter(ofNow(0, 100), ofNow(9, 100))).toEqual([]);
    expect(stepsAfter(ofNow(0, 100), ofNow(9, 101))).toEqual(['9 agreed floor reported']);
    expect(stepsAfter(ofNow(0, 100), ofNow(10, 100))).toEqual(['10 agreed floor reported']);
  });
});

it('the last step of a poll contains its sales', () => {
  const answer = answerAt(10, {
    answered: ['floor', 'lowest.1d'],
    floors: [floorAt(3, 100), floorAt(5, 101)],
    sales: { 'lowest.1d': floorAt(7, 90, { tradedAt: minute(7) }) },
  });

  expect(stepsAfter(first, answer)).toEqual([
    '3 agreed floor reported',
    '7 agreed floor lowest.1d reported',
    '10 forTimers',
  ]);
});
