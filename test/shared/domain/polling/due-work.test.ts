import { describe, expect, it } from 'vitest';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { MINUTE } from '#shared/domain/market/instant.ts';
import type { ContractRecord } from '#shared/domain/polling/contract-record.ts';
import { callOf, dueWork, nextPollAt } from '#shared/domain/polling/due-work.ts';
import { aContractRecord, anObservation, NOON } from '#test/support/builders.ts';

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
  dueWork(record, { after, until: minute }, CADENCE);

describe('the work of a contract', () => {
  it('is a poll of all its parts, once a cadence, always in the same minute', () => {
    const record = ofPhase(7, { parts: { floor: {}, 'lowest.7d': {} } });

    const minutes = Array.from({ length: 90 }, (_, index) => index).filter(
      (minute) => inMinute(record, minute) !== undefined,
    );

    expect(minutes).toEqual([7, 37, 67]);
    expect(inMinute(record, 37)).toEqual({
      kind: 'poll',
      parts: ['floor', 'lowest.7d'],
      isTurn: true,
    });
  });

  it.each<Partial<ContractRecord>>([
    {},
    { wanted: { floor: NOON } },
    { parts: { floor: { failures: 2, retryAt: NOON + 4.5 * MINUTE } }, wanted: { floor: NOON } },
    { parts: { floor: { failures: 1, retryAt: NOON - MINUTE } } },
    { parts: { floor: { failures: 5 } } },
    { parts: { floor: { timesAlone: 2, retryAt: NOON + 4.5 * MINUTE } } },
    { parts: { floor: { timesAlone: 2, retryAt: NOON + 9 * MINUTE } }, wanted: { floor: NOON } },
  ])('is reported before it comes: %j', (given) => {
    for (const phase of [0, 1, 15, 29]) {
      const record = ofPhase(phase, given);
      const first = Array.from({ length: 31 }, (_, index) => NOW + 1 + index).find(
        (minute) => inMinute(record, minute)?.kind === 'poll',
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

    expect(work).toEqual(polls ? { kind: 'poll', parts: ['floor'], isTurn: true } : undefined);
  });

  it('is none for an idle contract', () => {
    expect(inMinute(ofPhase(7, { parts: {} }), 37)).toBeUndefined();
  });

  it('is a poll of what is wanted, with the oldest want, before its minute', () => {
    const parts = { floor: {}, 'lowest.7d': {}, 'lowest.30d': {} };
    const wanted = { floor: NOON - 1, 'lowest.30d': NOON - 2 };

    const work = inMinute(notDue({ parts, wanted }));

    expect(work).toEqual({
      kind: 'poll',
      isTurn: false,
      parts: ['floor', 'lowest.30d'],
      wantedSince: NOON - 2,
    });
  });

  it.each([
    { retryAt: NOON + MINUTE - 1, polls: true },
    { retryAt: NOON + MINUTE, polls: false },
  ])('is a poll of the failed part alone once its retry is due: $polls', ({ retryAt, polls }) => {
    const parts = { floor: {}, 'lowest.7d': { failures: 1, retryAt } };

    const work = inMinute(notDue({ parts }));

    expect(work).toEqual(polls ? { kind: 'poll', parts: ['lowest.7d'], isTurn: false } : undefined);
  });

  it.each([{ failures: 2, retryAt: NOON + 2 * MINUTE }, { failures: 5 }])(
    'does not hurry a part that fails (%o) because somebody wants it',
    (floor) => {
      expect(inMinute(notDue({ parts: { floor }, wanted: { floor: NOON } }))).toBeUndefined();
    },
  );

  it('is an evaluation where something is unevaluated and nothing to be asked', () => {
    const unevaluated = [anObservation(1, '60')];

    expect(inMinute(notDue({ unevaluated }))).toEqual({ kind: 'evaluate' });
    expect(inMinute(ofPhase(0, { unevaluated }))).toEqual({
      ...{ kind: 'poll', parts: ['floor'], isTurn: true },
    });
  });
});

it('counts a lowest trade by its first way', () => {
  expect([callOf('floor'), callOf('lowest.7d')]).toEqual(['floor', 'lowestprice']);
});
