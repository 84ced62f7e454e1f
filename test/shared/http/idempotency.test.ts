import { expect, it } from 'vitest';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { SECOND } from '#shared/domain/market/instant.ts';
import { OutcomeUnknownError } from '#shared/domain/outcome-unknown.ts';
import { answer } from '#shared/http/answer.ts';
import { type IdempotencyPorts, idempotently, type Origin } from '#shared/http/idempotency.ts';
import { ProblemError } from '#shared/http/problem.ts';
import { createKeyedRequestStore } from '#shared/stores/keyed-request-store.ts';
import { anHttpRequest, NOON } from '#test/support/builders.ts';

const EVENT = anHttpRequest('POST /v1/watchlists', {
  headers: { 'Idempotency-Key': '"8e03978e"' },
});

/** An empty store of keyed requests, and a clock that starts at noon. */
function aStore() {
  const requests = createKeyedRequestStore(createMemoryTable());
  let now = NOON;
  let number = 0;
  const ports: IdempotencyPorts = {
    now: () => now,
    newNumber: () => {
      number += 1;
      return number;
    },
    getRequest: requests.get,
    putRequest: requests.put,
    removeRequest: requests.remove,
  };
  const wait = (milliseconds: number) => {
    now += milliseconds;
  };
  return { ports, wait };
}

it.each([
  ['an unforeseen error', new Error('the table is gone')],
  [
    'a problem of the provider',
    new ProblemError('no usable answer', { type: 'upstream_unavailable' }),
  ],
])(
  'a request that failed by %s is done again at once under its key, and makes the same thing',
  async (_what, failure) => {
    const { ports, wait } = aStore();
    const origins: Origin[] = [];
    const work = async (origin: Origin) => {
      origins.push(origin);
      if (origins.length === 1) throw failure;
      return answer(201, { id: origin.number });
    };

    await expect(idempotently(ports, EVENT, work)).rejects.toBe(failure);
    wait(SECOND);
    const { statusCode } = await idempotently(ports, EVENT, work);

    const [first, second] = origins;
    expect(statusCode).toBe(201);
    expect(first).toMatchObject({ at: NOON, isRepeated: false });
    expect(second).toEqual({ ...first, isRepeated: true });
  },
);

it('a refused repetition keeps the origin of the first attempt, whose change may have been made', async () => {
  const { ports, wait } = aStore();
  const origins: Origin[] = [];
  const attempt = (result: () => Promise<ReturnType<typeof answer>>) => {
    wait(SECOND);
    return idempotently(ports, EVENT, async (origin) => {
      origins.push(origin);
      return await result();
    });
  };

  const lost = new OutcomeUnknownError('the watchlist');
  const conflict = new ProblemError('read the watchlist again', { type: 'conflict' });
  await expect(attempt(() => Promise.reject(lost))).rejects.toBe(lost);
  await expect(attempt(() => Promise.reject(conflict))).rejects.toBe(conflict);
  await attempt(async () => answer(201, {}));

  const [first, ...repetitions] = origins;
  expect(repetitions).toEqual(Array(2).fill({ ...first, isRepeated: true }));
});

it('a request that was refused at first releases its key for another request', async () => {
  const { ports } = aStore();
  const quota = new ProblemError('no room', { type: 'quota_exceeded' });
  const other = { ...EVENT, body: '{"name":"another"}' };

  await expect(idempotently(ports, EVENT, () => Promise.reject(quota))).rejects.toBe(quota);
  const { statusCode } = await idempotently(ports, other, async () => answer(201, {}));

  expect(statusCode).toBe(201);
});
