import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { HOUR } from '#shared/domain/market/instant.ts';
import type { ContractRecord } from '#shared/domain/polling/contract-record.ts';
import { cadenceAt, pollPace } from '#shared/domain/polling/pace.ts';
import { appendPoll } from '#shared/domain/timeline/append-poll.ts';
import { aContractRecord, answeredBy, aPrice, aTimeline, NOON } from '#test/support/builders.ts';

const ONE = { calls: 1, units: 1 };

/** A contract whose floor changed this many hours ago, or that has no floor yet. */
function moved(hoursAgo: number | undefined, index: number): ContractRecord {
  const contract = `eth:0x${index.toString(16).padStart(40, '0')}` as ContractKey;
  if (hoursAgo === undefined) return aContractRecord({ contract, series: { floor: {} } });
  const point = aPrice('60', { time: NOON - hoursAgo * HOUR });
  return aContractRecord({ contract, timeline: aTimeline({ floor: point }) });
}

/** Minutes between two polls of contracts that changed this many hours ago, at a cadence of 60. */
function cadences(
  hoursAgo: readonly (number | undefined)[],
  beyond: number,
  configuredMinutes = 30,
) {
  const records = hoursAgo.map(moved);
  const polled = records.map((record) => ({ record, cost: ONE }));
  const pace = pollPace(
    polled,
    { minutes: 60, configuredMinutes },
    { calls: beyond, units: beyond },
    NOON,
  );
  return records.map((record) => cadenceAt(pace, record));
}

describe('a share with room for additional polls', () => {
  it.each([
    { carries: 'no additional poll', beyond: 0, polled: [60, 60, 60, 60] },
    { carries: 'two more contracts and some retries', beyond: 2.3, polled: [60, 30, 30, 60] },
    { carries: 'all contracts twice', beyond: 5, polled: [30, 30, 30, 30] },
  ])(
    'polls the most recently changed contracts twice as often if the share has room for $carries',
    (given) => {
      expect(cadences([7, 4, 3, undefined], given.beyond)).toEqual(given.polled);
    },
  );
});

describe('a share without room for additional polls', () => {
  it('polls a contract that changed within two hours twice as often, by polling two that did not change in twelve hours half as often', () => {
    expect(cadences([1, 13, 30, 11, 2], 0)).toEqual([30, 120, 120, 60, 60]);
    expect(cadences([1, undefined, 13, 1, 40, 50], 0)).toEqual([30, 120, 120, 30, 120, 120]);
  });

  it('polls a recently changed contract four times as often and six others half as often, but never more often than configured', () => {
    const still = [13, 14, 15, 16, 17, 18];

    expect(cadences([1, ...still], 0, 15)).toEqual([15, ...still.map(() => 120)]);
    expect(cadences([1, ...still], 0, 30)).toEqual([30, 60, 60, 60, 60, 120, 120]);
  });

  it('polls no contract less often unless another is polled more often', () => {
    expect(cadences([3, 13, 30, 40], 0)).toEqual([60, 60, 60, 60]);
    expect(cadences([1, 30, 3, 4], 0)).toEqual([60, 60, 60, 60]);
  });
});

it('adapts cadences to the time of the last price change, not of repeated reports', () => {
  const floors = [20, 1].map((hoursAgo) => aPrice('60', { time: NOON - hoursAgo * HOUR }));
  const answers = { ...answeredBy(NOON, ['floor']), floors, latest: {} } as const;
  const first = aTimeline({ floor: aPrice('61', { time: NOON - 30 * HOUR }) });
  const still = aContractRecord({ timeline: appendPoll(first, answers, false) });
  const records = [moved(1, 1), moved(30, 2), still];
  const polled = records.map((record) => ({ record, cost: ONE }));

  const pace = pollPace(
    polled,
    { minutes: 60, configuredMinutes: 30 },
    { calls: 0, units: 0 },
    NOON,
  );

  expect(records.map((record) => cadenceAt(pace, record))).toEqual([30, 120, 120]);
});

it('keeps adapted cadences within the cost of the share, and at most doubles a cadence', () => {
  const hoursAgo = fc.option(fc.double({ min: 0, max: 48, noNaN: true }), { nil: undefined });
  fc.assert(
    fc.property(
      fc.array(hoursAgo, { minLength: 1, maxLength: 30 }),
      fc.double({ min: 0, max: 20, noNaN: true }),
      fc.constantFrom(1, 15, 30),
      (contracts, beyond, configured) => {
        const found = cadences(contracts, beyond, configured);
        const rounds = found.reduce((sum, minutes) => sum + 60 / minutes, 0);
        expect(rounds).toBeLessThanOrEqual(contracts.length + beyond + 1e-9);
        expect(Math.max(...found)).toBeLessThanOrEqual(120);
        expect(Math.min(...found)).toBeGreaterThanOrEqual(configured);
      },
    ),
  );
});
