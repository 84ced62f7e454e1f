import { expect, it } from 'vitest';
import { HOUR, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import { omit } from '#shared/domain/omit.ts';
import {
  newRateLimiterRecord,
  type RateLimiterRecord,
  reserve,
} from '#shared/domain/polling/rate-limiter.ts';
import type { UpstreamUser } from '#shared/domain/polling/upstream-limits.ts';
import { NOON, someLimits } from '#test/support/builders.ts';
import { evenCosts } from '#test/support/even-costs.ts';

const limits = someLimits({
  ...{ budgetPerHour: 10, budgetPerDay: 1e6, budgetPerMonth: 1e7, callsPerSecond: 1000 },
  costs: evenCosts(1),
  shares: { polling: 60, interface: 20 },
});

/** Makes a call every second until one is rejected. */
function callAll(record: RateLimiterRecord, user: UpstreamUser, from: Instant) {
  let known = record;
  let calls = 0;
  for (;;) {
    const reserved = reserve(known, user, [['floor']], limits, from + calls * 1000);
    if (!reserved.granted) return { record: known, calls, refused: reserved };
    known = reserved.record;
    calls += 1;
  }
}

it('limits the calls of an hour, and gives each user its share', () => {
  const polled = callAll(newRateLimiterRecord(), 'polling', NOON);
  const asked = callAll(polled.record, 'interface', NOON + MINUTE);

  expect([polled.calls, asked.calls]).toEqual([8, 2]);
  expect(asked.refused).toMatchObject({ reason: 'budget', until: NOON + HOUR });
});

it('resets the budget of calls in the next hour', () => {
  const { record } = callAll(newRateLimiterRecord(), 'polling', NOON);

  expect(callAll(record, 'polling', NOON + HOUR).calls).toBe(8);
});

it('does not count the calls of an hour without a limit', () => {
  const unlimited = omit(limits, 'budgetPerHour');

  const reserved = reserve(newRateLimiterRecord(), 'polling', [['floor']], unlimited, NOON);

  expect(reserved).toMatchObject({ granted: true, record: { spent: { inDay: { polling: 1 } } } });
  expect(JSON.stringify(reserved)).not.toContain('inHour');
});
