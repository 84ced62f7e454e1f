import { expect, it } from 'vitest';
import { learn, lease, newGovernorRecord, ofProvider } from '#shared/domain/polling/governor.ts';
import { NOON, someLimits } from '#test/support/builders.ts';

const FLOOR = [['floor']] as const;

it('what was spent at one provider, and refused by it, stops no call of another', () => {
  const spendthrift = someLimits({ budgetPerDay: 70 });
  const first = lease(newGovernorRecord(), 'polling', FLOOR, spendthrift, NOON);
  if (!first.granted) throw new Error('the first call is free');
  const denied = { kind: 'denied', reason: 'key' } as const;
  const spent = learn(first.record, 'polling', 'floor', denied, false, spendthrift, NOON);
  const limits = { ...spendthrift, provider: 'opensea' } as const;

  const asBefore = lease(ofProvider(spent, spendthrift), 'polling', FLOOR, spendthrift, NOON);
  const asOther = lease(ofProvider(spent, limits), 'polling', FLOOR, limits, NOON);

  expect(asBefore.granted).toBe(false);
  expect(asOther.granted).toBe(true);
});

it('a record of the provider stays as it is', () => {
  const record = ofProvider(newGovernorRecord(), { provider: 'opensea' });

  expect(ofProvider(record, { provider: 'opensea' })).toBe(record);
});
