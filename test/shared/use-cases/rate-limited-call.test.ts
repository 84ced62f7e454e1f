import { expect, it } from 'vitest';
import { SECOND } from '#shared/domain/market/instant.ts';
import { makeReservedCall } from '#shared/use-cases/rate-limited-call.ts';
import { noteRequest } from '#shared/use-cases/request-count.ts';
import { NOON } from '#test/support/builders.ts';

const { signal } = new AbortController();
const reserved = { call: 'floor', callAt: NOON, probe: true } as const;

/** A caller that wakes up this many milliseconds after its slot. */
function world(lateBy: number) {
  const done: string[] = [];
  return {
    done,
    rateLimited: {
      now: () => NOON + lateBy,
      sleepUntil: async (callAt: number) => void done.push(`slept until ${callAt - NOON}`),
      reserveCalls: () => Promise.reject(new Error('not asked for')),
      learnOfCall: async (
        call: string,
        { kind }: { kind: string },
        probe: boolean,
        requests: number,
      ) => void done.push(`learned ${kind} of ${call}, probe: ${probe}, requests: ${requests}`),
    },
    make: async () => {
      done.push('called');
      noteRequest();
      await Promise.resolve();
      noteRequest();
      return { kind: 'not_ready' } as const;
    },
  };
}

it('waits for the slot of a call, makes the call, and reports the outcome to the rate limiter', async () => {
  const { rateLimited, make, done } = world(SECOND / 2);

  const answered = await makeReservedCall(rateLimited, reserved, make, signal);

  expect(answered).toMatchObject({
    call: 'floor',
    askedAt: NOON + SECOND / 2,
    outcome: { kind: 'not_ready' },
  });
  expect(done).toEqual([
    'slept until 0',
    'called',
    'learned not_ready of floor, probe: true, requests: 2',
  ]);
});

it('makes no call if its slot has passed', async () => {
  const { rateLimited, make, done } = world(SECOND / 2 + 1);

  const answered = await makeReservedCall(rateLimited, reserved, make, signal);

  expect(answered).toBeUndefined();
  expect(done).toEqual(['slept until 0']);
});
