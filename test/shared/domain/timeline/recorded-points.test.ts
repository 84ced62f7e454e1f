import { describe, expect, it } from 'vitest';
import { formatDecimal } from '#shared/domain/market/decimal.ts';
import { MINUTE } from '#shared/domain/market/instant.ts';
import type { Point, PricePoint } from '#shared/domain/market/point.ts';
import { appendPoll } from '#shared/domain/timeline/append-poll.ts';
import { recordedPoints } from '#shared/domain/timeline/recorded-points.ts';
import { evaluatedTo, newTimeline, type Timeline } from '#shared/domain/timeline/timeline.ts';
import { answeredBy, aPrice, aTrade, NOON } from '#test/support/builders.ts';

const floor = (minute: number, price: string, given: Partial<PricePoint> = {}): PricePoint =>
  aPrice(price, { time: NOON + minute * MINUTE, ...given });

/** A contract after one poll for each floor. Only the steps of the last poll are pending. */
function afterPolls(...floors: readonly PricePoint[]): Timeline {
  return floors.reduce((before, point, index) => {
    const evaluated = evaluatedTo(before, before.seq);
    const answers = { ...answeredBy(NOON + (index + 1) * MINUTE), latest: {} };
    return appendPoll(evaluated, { ...answers, floors: [point] }, false);
  }, newTimeline(0));
}

const textsOf = (timeline: Timeline) =>
  recordedPoints(timeline, 'floor').map(({ time, price, observedAs }) => {
    return `${(time - NOON) / MINUTE} ${formatDecimal(price)} ${observedAs}`;
  });

describe('recorded floors', () => {
  it.each<readonly [what: string, floors: readonly PricePoint[], recorded: readonly string[]]>([
    ['a floor that counts', [floor(0, '10'), floor(1, '9')], ['1 9 price']],
    ['a suspect', [floor(0, '10'), floor(1, '5')], ['1 5 suspect']],
    [
      'a suspect that the next price confirms',
      [floor(0, '10'), floor(1, '5'), floor(2, '5.1')],
      ['1 5 price', '2 5.1 price'],
    ],
    [
      'only the next price if it contradicts a suspect',
      [floor(0, '10'), floor(1, '5'), floor(2, '9')],
      ['2 9 price'],
    ],
    ['a revision', [floor(0, '10'), floor(1, '9'), floor(1, '9.5')], ['1 9.5 price']],
    [
      'nothing for a suspect revision, so the accepted price remains',
      [floor(0, '10'), floor(1, '9'), floor(1, '5')],
      [],
    ],
  ])('the last poll records %s', (_what, floors, recorded) => {
    expect(textsOf(afterPolls(...floors))).toEqual(recorded);
  });

  it('keeps an accepted price if its revision is a suspect and neither is evaluated yet', () => {
    const answers = { ...answeredBy(NOON + 5 * MINUTE), floors: [floor(1, '5')], latest: {} };

    const timeline = appendPoll(afterPolls(floor(0, '10'), floor(1, '9')), answers, false);

    expect(textsOf(timeline)).toEqual(['1 9 price']);
  });

  it('records a floor with its second source, even if that source confirms it later', () => {
    const confirmed = floor(0, '10', { confirmedBy: 'coingecko' });

    const recorded = recordedPoints(afterPolls(floor(0, '10'), confirmed), 'floor');

    expect(recorded).toEqual([{ ...confirmed, observedAs: 'price' }]);
  });

  it('records one floor for each time, with the decision of the last step', () => {
    const floors = [floor(1, '5'), floor(2, '5.1')];
    const answers = { ...answeredBy(NOON + 5 * MINUTE), floors, latest: {} };

    const timeline = appendPoll(afterPolls(floor(0, '10')), answers, false);

    expect(textsOf(timeline)).toEqual(['0 10 price', '1 5 price', '2 5.1 price']);
  });
});

it('records sales, but not that the window is empty', () => {
  const sales: readonly Point[] = [
    aTrade('8', NOON),
    { kind: 'empty', time: NOON + MINUTE },
    aTrade('7', NOON + 2 * MINUTE),
  ];
  const timeline = sales.reduce((before, sale, index) => {
    const answers = { ...answeredBy(NOON + index * MINUTE), floors: [] };
    return appendPoll(before, { ...answers, latest: { 'lowest.1d': sale } }, false);
  }, newTimeline(0));

  expect(recordedPoints(timeline, 'lowest.1d')).toEqual([sales[0], sales[2]]);
});
