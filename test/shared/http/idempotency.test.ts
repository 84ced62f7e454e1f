import { expect, it } from 'vitest';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { answer } from '#shared/http/answer.ts';
import { idempotently, type Origin } from '#shared/http/idempotency.ts';
import { ProblemError } from '#shared/http/problem.ts';
import { createKeyedRequestStore } from '#shared/stores/keyed-request-store.ts';
import { anHttpRequest, NOON } from '#test/support/builders.ts';

it.each([
  ['an unforeseen error', new Error('the table is gone')],
  [
    'a problem of the provider',
    new ProblemError('no usable answer', { type: 'upstream_unavailable' }),
  ],
])(
  'a request that failed by %s is done again at once under its key, and makes the same thing',
  async (_what, failure) => {
    const requests = createKeyedRequestStore(createMemoryTable());
    let now = NOON;
    let number = 0;
    const ports = {
      now: () => now,
      newNumber: () => {
        number += 1;
        return number;
      },
      getRequest: requests.get,
      putRequest: requests.put,
      removeRequest: requests.remove,
    };
    const event = anHttpRequest('POST /v1/watchlists', {
      headers: { 'Idempotency-Key': '"8e03978e"' },
    });
    const origins: Origin[] = [];
    const work = async (origin: Origin) => {
      origins.push(origin);
      if (origins.length === 1) throw failure;
      return answer(201, { id: origin.number });
    };

    await expect(idempotently(ports, event, work)).rejects.toBe(failure);
    now += 1000;
    const { statusCode } = await idempotently(ports, event, work);

    const [first, second] = origins;
    expect(statusCode).toBe(201);
    expect(first).toMatchObject({ at: NOON, isRepeated: false });
    expect(second).toEqual({ ...first, isRepeated: true });
  },
);
