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
/** A contract whose phase in a cadence of 30 minutes is a number. */
const ofPhase = (phase: number, given: Partial<ContractRecord> = {}) => {
  const contract: ContractKey = `eth:0x${phase.toString(16).padStart(40, '0')}`;
  return aContractRecord({ contract, ...given });
};
/** One that falls due a quarter of an hour after noon. */
const notDue = (given: Partial<ContractRecord>) => ofPhase(15, given);
const inMinute = (record: ContractRecord, minute = NOW, after = minute - 1) =>
  duePoll(record, { after, until: minute }, CADENCE);

describe('the due poll of a contract', () => {
  it('is a poll of all its parts, once a cadence, always in the same minute', () => {
    const record = ofPhase(7, { parts: { floor: {}, 'lowest.7d': {} } });

    const minutes = Array.from({ length: 90 }, (_, index) => index).filter(
      (minute) => inMinute(record, minute) !== undefined,
    );

    expect(minutes).toEqual([7, 37, 67]);
    expect(inMinute(record, 37)).toEqual({
      parts: ['floor', 'lowest.7d'],
      isTurn: true,
    });
  });

  it.each<Partial<ContractRecord>>([
    {},
    { timers: { answer: NOON } },
    { timers: { answer: NOON + 7 * MINUTE } },
    { timers: { window: NOON } },
    { timers: { awaited: NOON } },
    { parts: { floor: { answeredAt: NOON + MINUTE } }, timers: { answer: NOON } },
    {
      parts: { floor: { failures: 2, retryAt: NOON + 4.5 * MINUTE } },
      timers: { answer: NOON },
    },
    { parts: { floor: { failures: 1, retryAt: NOON - MINUTE } } },
    { parts: { floor: { failures: 5 } } },
    { parts: { floor: { timesAlone: 2, retryAt: NOON + 4.5 * MINUTE } } },
    { parts: { floor: { timesAlone: 2, retryAt: NOON + 9 * MINUTE } }, timers: { answer: NOON } },
  ])('is reported before it comes: %j', (given) => {
    for (const phase of [0, 1, 15, 29]) {
      const record = ofPhase(phase, given);
      const first = Array.from({ length: 31 }, (_, index) => NOW + 1 + index).find(
        (minute) => inMinute(record, minute) !== undefined,
      );

      const reported = nextPollAt(record, ['floor'], NOON + MINUTE / 2, CADENCE);

      expect(reported).toBe((first ?? 0) * MINUTE);
    }
  });

  it('is reported of no part that is not needed', () => {
    expect(nextPollAt(ofPhase(7), ['lowest.7d'], NOON, CADENCE)).toBeUndefined();
  });

  it('is spread over the minutes of the cadence', () => {
    const records = Array.from({ length: 3000 }, (_, index) => ofPhase(index * 7919));

    const polls = Array.from(
      { length: CADENCE },
      (_, minute) => records.filter((record) => inMinute(record, minute)).length,
    );

    expect(polls.reduce((sum, count) => sum + count)).toBe(3000);
    expect(Math.max(...polls)).toBeLessThan(110);
  });

  it.each([
    { missed: 'the minute itself', after: 36, until: 40, polls: true },
    { missed: 'several cadences', after: 0, until: 200, polls: true },
    { missed: 'minutes without it', after: 38, until: 66, polls: false },
    { missed: 'nothing: the minute comes again', after: 37, until: 37, polls: false },
  ])('is caught up with after missing $missed: $polls', ({ after, until, polls }) => {
    const work = inMinute(ofPhase(7), until, after);

    expect(work).toEqual(polls ? { parts: ['floor'], isTurn: true } : undefined);
  });

  it('is none for an idle contract', () => {
    expect(inMinute(ofPhase(7, { parts: {} }), 37)).toBeUndefined();
  });

  it.each([
    { what: 'a timer of a watch', timers: { answer: NOON - 2 } },
    { what: 'a timer of a window', timers: { window: NOON - 2 } },
    { what: 'a new watch', timers: { awaited: NOON - 2 } },
    { what: 'the earliest of them', timers: { answer: NOON - 1, awaited: NOON - 2 } },
  ])('is a poll of all sound parts for $what, before its minute', ({ timers }) => {
    const failing = { failures: 5, silentSince: NOON - 1 };
    const parts = { floor: {}, 'lowest.7d': {}, 'lowest.30d': failing };

    expect(inMinute(notDue({ parts, timers }))).toEqual({
      isTurn: false,
      parts: ['floor', 'lowest.7d'],
      wantedSince: NOON - 2,
    });
  });

  it.each([
    { what: 'is still to come', answeredAt: NOON - HOUR, answer: NOON + 1 },
    { what: 'has passed undecided with the last answer', answeredAt: NOON - 1, answer: NOON - 2 },
  ])('is none for a timer that $what', ({ answeredAt, answer }) => {
    const parts = { floor: { answeredAt } };

    expect(inMinute(notDue({ parts, timers: { answer } }))).toBeUndefined();
  });

  it.each([
    { retryAt: NOON + MINUTE - 1, polls: true },
    { retryAt: NOON + MINUTE, polls: false },
  ])('is a poll of the failed part alone once its retry is due: $polls', ({ retryAt, polls }) => {
    const parts = { floor: {}, 'lowest.7d': { failures: 1, retryAt } };

    const work = inMinute(notDue({ parts }));

    expect(work).toEqual(polls ? { parts: ['lowest.7d'], isTurn: false } : undefined);
  });

  it.each([{ failures: 2, retryAt: NOON + 2 * MINUTE }, { failures: 5 }])(
    'does not ask a part that fails (%o) sooner because a timer has come',
    (floor) => {
      const timers = { answer: NOON };

      expect(inMinute(notDue({ parts: { floor }, timers }))).toBeUndefined();
    },
  );

  it('is none if steps wait for their evaluation and nothing is to be asked', () => {
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
    { what: 'the clock decides something', timers: { clock: NOON }, evaluates: true },
    { what: 'the clock decides something later', timers: { clock: NOON + 1 }, evaluates: false },
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
  ])(
    'is none if $what, which is an evaluation without an answer: $evaluates',
    ({ timers, evaluates }) => {
      const parts = { floor: { failures: 5, answeredAt: NOON - 2 * DAY } };

      const record = notDue({ parts, timers });

      expect([inMinute(record), isEvaluationDue(record, NOON)]).toEqual([undefined, evaluates]);
    },
  );
});

it('counts a lowest trade by its first way', () => {
  expect([callOf('floor'), callOf('lowest.7d')]).toEqual(['floor', 'lowestprice']);
});
