import { expect, it } from 'vitest';
import { HOUR, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import { omit } from '#shared/domain/omit.ts';
import { type GovernorRecord, lease, newGovernorRecord } from '#shared/domain/polling/governor.ts';
import type { UpstreamUser } from '#shared/domain/polling/upstream-limits.ts';
import { NOON, someLimits } from '#test/support/builders.ts';
import { evenCosts } from '#test/support/even-costs.ts';

const limits = someLimits({
  ...{ budgetPerHour: 10, budgetPerDay: 1e6, budgetPerMonth: 1e7, callsPerSecond: 1000 },
  costs: evenCosts(1),
  shares: { polling: 60, interface: 20 },
});

/** Calls as many as are granted, one a second from a moment on. */
function callAll(record: GovernorRecord, user: UpstreamUser, from: Instant) {
  let known = record;
  let calls = 0;
  for (;;) {
    const leased = lease(known, user, [['floor']], limits, from + calls * 1000);
    if (!leased.granted) return { record: known, calls, refused: leased };
    known = leased.record;
    calls += 1;
  }
}

it('an hour has no more calls than the provider allows, and each user has its share of them', () => {
  const polled = callAll(newGovernorRecord(), 'polling', NOON);
  const asked = callAll(polled.record, 'interface', NOON + MINUTE);

  expect([polled.calls, asked.calls]).toEqual([8, 2]);
  expect(asked.refused).toMatchObject({ reason: 'budget', until: NOON + HOUR });
});

it('the next hour begins anew', () => {
  const { record } = callAll(newGovernorRecord(), 'polling', NOON);

  expect(callAll(record, 'polling', NOON + HOUR).calls).toBe(8);
});

it('without a limit of the hour its calls are not counted', () => {
  const unlimited = omit(limits, 'budgetPerHour');

  const leased = lease(newGovernorRecord(), 'polling', [['floor']], unlimited, NOON);

  expect(leased).toMatchObject({ granted: true, record: { spent: { inDay: { polling: 1 } } } });
  expect(JSON.stringify(leased)).not.toContain('inHour');
});
