import { expect, it } from 'vitest';
import { refusalOfStatus } from '#shared/providers/refusal-of-status.ts';
import { NOON } from '#test/support/builders.ts';
import { FIREWALL_PAGE, MONTHLY_CAPACITY, PER_SECOND_CAPACITY } from '#test/support/refusals.ts';

const manners = { denied: () => 'quota' as const, secondsToReset: () => 9 };

it.each([
  [200, undefined],
  [204, undefined],
  [302, { kind: 'failed', reason: 'redirect' }],
  [400, { kind: 'failed', reason: 'bad_request' }],
  // A denial opens the circuit breaker, so a provider that requires payment is not polled again at
  // once.
  [401, { kind: 'denied', reason: 'quota' }],
  [402, { kind: 'denied', reason: 'quota' }],
  [403, { kind: 'denied', reason: 'quota' }],
  [404, { kind: 'not_found' }],
  [408, { kind: 'failed', reason: 'timeout' }],
  [429, { kind: 'throttled', retryAfterSeconds: 9 }],
  [500, { kind: 'failed', reason: 'server_error' }],
  [503, { kind: 'failed', reason: 'server_error' }],
])('the status %i of a provider means %j', (status, refusal) => {
  expect(refusalOfStatus({ status, headers: {}, body: '{}' }, NOON, manners)).toEqual(refusal);
});

it.each([
  [401, FIREWALL_PAGE, { kind: 'denied', reason: 'blocked' }],
  [403, `\n${FIREWALL_PAGE}`, { kind: 'denied', reason: 'blocked' }],
  [403, MONTHLY_CAPACITY, { kind: 'denied', reason: 'quota' }],
  [429, JSON.stringify({ error: MONTHLY_CAPACITY }), { kind: 'denied', reason: 'quota' }],
  [429, PER_SECOND_CAPACITY, { kind: 'throttled' }],
  [403, 'forbidden', { kind: 'denied', reason: 'key' }],
])(
  'distinguishes firewalls and used-up quotas from wrong keys: %i "%s" is %j',
  (status, body, refusal) => {
    const keys = { denied: () => 'key' as const };

    expect(refusalOfStatus({ status, headers: {}, body }, NOON, keys)).toEqual(refusal);
  },
);
