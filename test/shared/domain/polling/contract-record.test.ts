import { expect, it } from 'vitest';
import { returnedWith } from '#shared/domain/polling/contract-record.ts';
import { aContractRecord, NOON } from '#test/support/builders.ts';

it('the request of the floor returns the statistics of a contract, and no other series', () => {
  const parts = { floor: {}, 'lowest.7d': {}, 'volume.1d': {}, owners: { silentSince: NOON } };
  const record = aContractRecord({ parts });

  expect(returnedWith(record, 'floor').map(([part]) => part)).toEqual([
    ...['floor', 'volume.1d', 'owners'],
  ]);
  expect(returnedWith(record, 'lowest.7d').map(([part]) => part)).toEqual(['lowest.7d']);
});
