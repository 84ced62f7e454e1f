import { expect, it } from 'vitest';
import { returnedWith } from '#shared/domain/polling/contract-record.ts';
import { aContractRecord, NOON } from '#test/support/builders.ts';

it('the request for the floor returns the statistics of a contract, and no other series', () => {
  const series = { floor: {}, 'lowest.7d': {}, 'volume.1d': {}, owners: { noDataSince: NOON } };
  const record = aContractRecord({ series });

  expect(returnedWith(record, 'floor').map(([name]) => name)).toEqual([
    ...['floor', 'volume.1d', 'owners'],
  ]);
  expect(returnedWith(record, 'lowest.7d').map(([name]) => name)).toEqual(['lowest.7d']);
});
