import { expect, it } from 'vitest';
import { SECOND } from '#shared/domain/market/instant.ts';
import { callInSlot } from '#shared/use-cases/governed-call.ts';
import { noteRequest } from '#shared/use-cases/request-count.ts';
import { NOON } from '#test/support/builders.ts';

const { signal } = new AbortController();
const leased = { call: 'floor', slot: NOON, probe: true } as const;

/** A caller that wakes so much after its slot. */
function world(lateBy: number) {
  const done: string[] = [];
  return {
    done,
    governed: {
      now: () => NOON + lateBy,
      sleepUntil: async (slot: number) => void done.push(`slept until ${slot - NOON}`),
      leaseCalls: () => Promise.reject(new Error('not asked for')),
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

it('waits for its slot, calls, and returns the governor what came of it', async () => {
  const { governed, make, done } = world(SECOND / 2);

  const answered = await callInSlot(governed, leased, make, signal);

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

it('makes no call in a slot that it missed', async () => {
  const { governed, make, done } = world(SECOND / 2 + 1);

  const answered = await callInSlot(governed, leased, make, signal);

  expect(answered).toBeUndefined();
  expect(done).toEqual(['slept until 0']);
});
