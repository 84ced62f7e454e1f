import { expect, it } from 'vitest';
import { createDestinations } from '#shared/channels/destinations.ts';
import { createHttpClient } from '#shared/clients/http-client.ts';
import { anAlert, NOON } from '#test/support/builders.ts';
import { VAPID } from '#test/support/push-key.ts';

const clients = {
  now: () => NOON,
  wallClock: () => NOON,
  newChallenge: () => 'a-challenge',
  topics: {
    publishToStack: () => Promise.resolve(),
    publishToChannel: () => Promise.resolve('accepted' as const),
  },
  emails: undefined,
  vapid: VAPID,
  destinations: 'public',
  origins: {},
  readChannelKey: () => Promise.resolve('key'),
  readStackSlackUrl: () => Promise.resolve('https://hooks.slack.com/services/T0/B0/secret'),
} as const;

it('does not post to a chat whose host resolves to a private address (SSRF)', async () => {
  const { send } = createDestinations({
    ...clients,
    httpClient: (limits, guard) =>
      createHttpClient(
        limits,
        guard && { ...guard, resolve: async () => [{ address: '10.0.0.1', family: 4 }] },
      ),
  });
  const { signal } = new AbortController();

  const answer = await send(
    { kind: 'stack-slack' },
    { kind: 'alert', alert: anAlert() },
    signal,
    undefined,
  );

  expect(answer).toEqual({ kind: 'failed', reason: 'the address of the host is not public' });
});
