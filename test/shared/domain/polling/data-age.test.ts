import { expect, it } from 'vitest';
import { CANARY } from '#shared/domain/market/canary.ts';
import { HOUR, type Instant } from '#shared/domain/market/instant.ts';
import { dataAge, isSilent } from '#shared/domain/polling/data-age.ts';
import { aContractRecord, anAnsweredRecord, aPrice, NOON } from '#test/support/builders.ts';

const floorOf = (time: Instant) => anAnsweredRecord('floor', aPrice('60', { time }));
const silentSince = (instant: Instant) =>
  aContractRecord({ parts: { floor: {}, 'lowest.7d': { silentSince: instant } } });

it('is that of the newest floors, of all contracts and of the one that is behind most', () => {
  const records = [floorOf(NOON - HOUR), floorOf(NOON - 9 * HOUR), floorOf(NOON - 2 * HOUR)];

  expect(dataAge(records, NOON)).toEqual({
    freshest: NOON - HOUR,
    oldest: NOON - 9 * HOUR,
    watched: 3,
    silent: 0,
  });
});

it('is not that of the canary, whose floor is always new', () => {
  const canary = aContractRecord({ ...floorOf(NOON), contract: CANARY });

  expect(dataAge([floorOf(NOON - HOUR), canary], NOON)).toMatchObject({
    ...{ freshest: NOON - HOUR, watched: 1 },
  });
});

it('is not known where no floor is: a sale may be weeks old, and nothing is wrong', () => {
  const sold = anAnsweredRecord('lowest.7d', aPrice('60', { time: NOON - 100 * HOUR }));

  expect(dataAge([sold, aContractRecord()], NOON)).toEqual({
    freshest: undefined,
    oldest: undefined,
    watched: 2,
    silent: 0,
  });
});

it('counts the contracts of which a part has been silent for an hour', () => {
  const records = [silentSince(NOON - HOUR), silentSince(NOON - HOUR + 1), floorOf(NOON)];

  expect(dataAge(records, NOON).silent).toBe(1);
  expect(records.map((record) => isSilent(record, NOON))).toEqual([true, false, false]);
});

it('is of the contracts that somebody watches', () => {
  const forgotten = aContractRecord({ parts: {} });

  expect(dataAge([forgotten, aContractRecord()], NOON)).toMatchObject({ watched: 1, silent: 0 });
});
