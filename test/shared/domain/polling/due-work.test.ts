import { describe, expect, it } from 'vitest';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { DAY, HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import { type ContractRecord, isEvaluationDue } from '#shared/domain/polling/contract-record.ts';
import { callOf, duePoll, nextPollAt } from '#shared/domain/polling/due-work.ts';
import { appendPoll } from '#shared/domain/timeline/append-poll.ts';
import { newTimeline } from '#shared/domain/timeline/timeline.ts';
import { aContractRecord, answeredBy, aPrice, NOON } from '#test/support/builders.ts';

const CADENCE = 30;
const NOW = NOON / MINUTE;
/** A contract with this phase in a cadence of 30 minutes. */
const ofPhase = (phase: number, given: Partial<ContractRecord> = {}) => {
  const contract: ContractKey = `eth:0x${phase.toString(16).padStart(40, '0')}`;
  return aContractRecord({ contract, ...given });
};
/** A contract whose next regular poll is a quarter of an hour after noon. */
const notDue = (given: Partial<ContractRecord>) => ofPhase(15, given);
const inMinute = (record: ContractRecord, minute = NOW, after = minute - 1) =>
  duePoll(record, { after, until: minute }, CADENCE);

describe('the due poll of a contract', () => {
  it('polls all series of a contract once a cadence, always in the same minute', () => {
    const record = ofPhase(7, { series: { floor: {}, 'lowest.7d': {} } });

    const minutes = Array.from({ length: 90 }, (_, index) => index).filter(
      (minute) => inMinute(record, minute) !== undefined,
    );

    expect(minutes).toEqual([7, 37, 67]);
    expect(inMinute(record, 37)).toEqual({
      series: ['floor', 'lowest.7d'],
      isTurn: true,
    });
  });

  it.each<Partial<ContractRecord>>([
    {},
    { timers: { answer: NOON } },
    { timers: { answer: NOON + 7 * MINUTE } },
    { timers: { window: NOON } },
    { timers: { refreshRequested: NOON } },
    { series: { floor: { answeredAt: NOON + MINUTE } }, timers: { answer: NOON } },
    {
      series: { floor: { failures: 2, retryAt: NOON + 4.5 * MINUTE } },
      timers: { answer: NOON },
    },
    { series: { floor: { failures: 1, retryAt: NOON - MINUTE } } },
    { series: { floor: { failures: 5 } } },
    { series: { floor: { timesAlone: 2, retryAt: NOON + 4.5 * MINUTE } } },
    { series: { floor: { timesAlone: 2, retryAt: NOON + 9 * MINUTE } }, timers: { answer: NOON } },
  ])('predicts the minute of the next poll: %j', (given) => {
    for (const phase of [0, 1, 15, 29]) {
      const record = ofPhase(phase, given);
      const first = Array.from({ length: 31 }, (_, index) => NOW + 1 + index).find(
        (minute) => inMinute(record, minute) !== undefined,
      );

      const reported = nextPollAt(record, ['floor'], NOON + MINUTE / 2, CADENCE);

      expect(reported).toBe((first ?? 0) * MINUTE);
    }
  });

  it('predicts no poll for a series that is not needed', () => {
    expect(nextPollAt(ofPhase(7), ['lowest.7d'], NOON, CADENCE)).toBeUndefined();
  });

  it('spreads polls evenly over the minutes of the cadence', () => {
    const records = Array.from({ length: 3000 }, (_, index) => ofPhase(index * 7919));

    const polls = Array.from(
      { length: CADENCE },
      (_, minute) => records.filter((record) => inMinute(record, minute)).length,
    );

    expect(polls.reduce((sum, count) => sum + count)).toBe(3000);
    expect(Math.max(...polls)).toBeLessThan(110);
  });

  it.each([
    { missed: 'the minute of the poll', after: 36, until: 40, polls: true },
    { missed: 'several cadences', after: 0, until: 200, polls: true },
    { missed: 'minutes without the poll', after: 38, until: 66, polls: false },
    { missed: 'nothing, in a repeated minute', after: 37, until: 37, polls: false },
  ])('catches up with a poll after missing $missed: $polls', ({ after, until, polls }) => {
    const work = inMinute(ofPhase(7), until, after);

    expect(work).toEqual(polls ? { series: ['floor'], isTurn: true } : undefined);
  });

  it('never polls an idle contract', () => {
    expect(inMinute(ofPhase(7, { series: {} }), 37)).toBeUndefined();
  });

  it.each([
    { what: 'a timer of a watch', timers: { answer: NOON - 2 } },
    { what: 'a timer of a window', timers: { window: NOON - 2 } },
    { what: 'a new watch', timers: { refreshRequested: NOON - 2 } },
    {
      what: 'the earliest of several timers',
      timers: { answer: NOON - 1, refreshRequested: NOON - 2 },
    },
  ])(
    'polls a contract before its regular poll for $what, but not its failing series',
    ({ timers }) => {
      const failing = { failures: 5, noDataSince: NOON - 1 };
      const series = { floor: {}, 'lowest.7d': {}, 'lowest.30d': failing };

      expect(inMinute(notDue({ series, timers }))).toEqual({
        isTurn: false,
        series: ['floor', 'lowest.7d'],
        requestedSince: NOON - 2,
      });
    },
  );

  it.each([
    { what: 'is not due yet', answeredAt: NOON - HOUR, answer: NOON + 1 },
    {
      what: 'was due before the last answer, which did not change the watch',
      answeredAt: NOON - 1,
      answer: NOON - 2,
    },
  ])('does not poll for a timer that $what', ({ answeredAt, answer }) => {
    const series = { floor: { answeredAt } };

    expect(inMinute(notDue({ series, timers: { answer } }))).toBeUndefined();
  });

  it.each([
    { retryAt: NOON + MINUTE - 1, polls: true },
    { retryAt: NOON + MINUTE, polls: false },
  ])('polls a failed series alone once its retry is due: $polls', ({ retryAt, polls }) => {
    const series = { floor: {}, 'lowest.7d': { failures: 1, retryAt } };

    const work = inMinute(notDue({ series }));

    expect(work).toEqual(polls ? { series: ['lowest.7d'], isTurn: false } : undefined);
  });

  it.each([{ failures: 2, retryAt: NOON + 2 * MINUTE }, { failures: 5 }])(
    'does not poll a failing series (%o) earlier when a timer is due',
    (floor) => {
      const timers = { answer: NOON };

      expect(inMinute(notDue({ series: { floor }, timers }))).toBeUndefined();
    },
  );

  it('evaluates pending steps without a poll', () => {
    const answers = {
      ...answeredBy(NOON, ['floor']),
      floors: [aPrice('60')],
      latest: {},
    } as const;
    const timeline = appendPoll(newTimeline(0), answers, false);

    const waiting = notDue({ timeline });
    expect([inMinute(waiting), isEvaluationDue(waiting, NOON)]).toEqual([undefined, true]);
    expect(inMinute(ofPhase(0, { timeline }))).toMatchObject({ isTurn: true });
  });

  it.each([
    { what: 'a timer of the clock is due', timers: { clock: NOON }, evaluates: true },
    { what: 'a timer of the clock is due later', timers: { clock: NOON + 1 }, evaluates: false },
    {
      what: 'a timer has waited a day for an answer',
      timers: { answer: NOON - DAY },
      evaluates: true,
    },
    {
      what: 'a timer has waited less than a day',
      timers: { answer: NOON - DAY + 1 },
      evaluates: false,
    },
  ])('evaluates without a poll if $what: $evaluates', ({ timers, evaluates }) => {
    const series = { floor: { failures: 5, answeredAt: NOON - 2 * DAY } };

    const record = notDue({ series, timers });

    expect([inMinute(record), isEvaluationDue(record, NOON)]).toEqual([undefined, evaluates]);
  });
});

it('the usual call for a series is the first one that can answer its operation', () => {
  expect([callOf('floor'), callOf('lowest.7d')]).toEqual(['floor', 'lowestprice']);
});
