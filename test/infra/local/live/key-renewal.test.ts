import { expect, it } from 'vitest';
import { createKeyRenewal } from '#infra/local/live/key-renewal.ts';
import { DAY, HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import type { Outcome } from '#shared/domain/market/upstream.ts';
import type { InstantKey } from '#shared/providers/opensea/answers.ts';
import { NOON } from '#test/support/builders.ts';

/**
 * A run with a key that expires after seven days. The fake OpenSea returns the given responses in
 * turn, and repeats the last one.
 */
function run(...answers: readonly Outcome<InstantKey>[]) {
  let now = NOON;
  let tries = 0;
  const used: string[] = [];
  const first = { key: 'first', endsAt: NOON + 7 * DAY, readsPerHour: 600 };
  const renew = createKeyRenewal(first, {
    now: () => now,
    make: async () => {
      tries += 1;
      return answers[Math.min(tries, answers.length) - 1] ?? { kind: 'throttled' };
    },
    use: async ({ key }) => void used.push(key),
  });
  /** Lets time pass, with an attempt to renew the key each minute. */
  const live = async (span: number) => {
    for (const end = now + span; now < end; now += MINUTE) await renew();
    return { tries, used };
  };
  return live;
}

const made = (key: string, endsAt: number): Outcome<InstantKey> => ({
  kind: 'ok',
  value: { key, endsAt, readsPerHour: 600 },
});

it('each key is replaced once, on its last day', async () => {
  const live = run(made('second', NOON + 13 * DAY), made('third', NOON + 30 * DAY));

  expect(await live(6 * DAY)).toEqual({ tries: 0, used: [] });
  expect(await live(DAY)).toEqual({ tries: 1, used: ['second'] });
  expect(await live(6 * DAY)).toEqual({ tries: 2, used: ['second', 'third'] });
});

it('a refused key renewal is retried once an hour', async () => {
  const live = run({ kind: 'throttled' }, { kind: 'throttled' }, made('second', NOON + 13 * DAY));
  await live(6 * DAY);

  expect((await live(2 * HOUR)).tries).toBe(2);
  expect(await live(HOUR)).toEqual({ tries: 3, used: ['second'] });
});
