import { expect, it } from 'vitest';
import { CANARY } from '#shared/domain/market/canary.ts';
import { HOUR, type Instant } from '#shared/domain/market/instant.ts';
import { dataAge, isSilent } from '#shared/domain/polling/data-age.ts';
import { aContractRecord, anAnsweredRecord, aPrice, NOON } from '#test/support/builders.ts';

const floorOf = (time: Instant) => anAnsweredRecord('floor', aPrice('60', { time }));
const noDataSince = (instant: Instant) =>
  aContractRecord({ series: { floor: {}, 'lowest.7d': { noDataSince: instant } } });

it('reports the latest and the earliest time among the newest floors of all contracts', () => {
  const records = [floorOf(NOON - HOUR), floorOf(NOON - 9 * HOUR), floorOf(NOON - 2 * HOUR)];

  expect(dataAge(records, NOON)).toEqual({
    freshest: NOON - HOUR,
    oldest: NOON - 9 * HOUR,
    watched: 3,
    silent: 0,
  });
});

it('excludes the canary, whose floor is always fresh, from the data age', () => {
  const canary = aContractRecord({ ...floorOf(NOON), contract: CANARY });

  expect(dataAge([floorOf(NOON - HOUR), canary], NOON)).toMatchObject({
    ...{ freshest: NOON - HOUR, watched: 1 },
  });
});

it('reports no data age without a floor, because old sales are normal', () => {
  const sold = anAnsweredRecord('lowest.7d', aPrice('60', { time: NOON - 100 * HOUR }));

  expect(dataAge([sold, aContractRecord()], NOON)).toEqual({
    freshest: undefined,
    oldest: undefined,
    watched: 2,
    silent: 0,
  });
});

it('counts the contracts with a series that has had no data for an hour', () => {
  const records = [noDataSince(NOON - HOUR), noDataSince(NOON - HOUR + 1), floorOf(NOON)];

  expect(dataAge(records, NOON).silent).toBe(1);
  expect(records.map((record) => isSilent(record, NOON))).toEqual([true, false, false]);
});

it('counts only watched contracts in the data age', () => {
  const forgotten = aContractRecord({ series: {} });

  expect(dataAge([forgotten, aContractRecord()], NOON)).toMatchObject({ watched: 1, silent: 0 });
});
