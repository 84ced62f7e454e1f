import { expect, it } from 'vitest';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { SECOND } from '#shared/domain/market/instant.ts';
import { OutcomeUnknownError } from '#shared/domain/outcome-unknown.ts';
import { answer } from '#shared/http/answer.ts';
import { type Attempt, type IdempotencyPorts, idempotently } from '#shared/http/idempotency.ts';
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
  };
  const wait = (milliseconds: number) => {
    now += milliseconds;
  };
  return { ports, wait };
}

it('runs a failed request again when it is repeated with the same key', async () => {
  const { ports, wait } = aStore();
  const failure = new Error('the table is gone');
  const numbers: number[] = [];
  const work = async ({ number, keep }: Attempt) => {
    numbers.push(number);
    if (numbers.length === 1) throw failure;
    return await committed(ports, answer<unknown>(201, { id: number }), keep);
  };

  await expect(idempotently(ports, EVENT, work)).rejects.toBe(failure);
  wait(SECOND);
  const made = await idempotently(ports, EVENT, work);
  const again = await idempotently(ports, EVENT, work);

  expect(made.statusCode).toBe(201);
  expect(again).toEqual(made);
  expect(numbers).toEqual([1, 2]);
});

it('returns the answer of a change whose commit had an unknown outcome', async () => {
  const { ports } = aStore();

  const answered = await idempotently(ports, EVENT, async ({ keep }) => {
    await committed(ports, answer<unknown>(201, { id: 7 }), keep);
    throw new OutcomeUnknownError('the watchlist');
  });

  expect(answered).toMatchObject({ statusCode: 201, body: '{"id":7}' });
});

it('stores the answer to a keyed request in a separate write if the request commits no change', async () => {
  const { ports } = aStore();
  let attempts = 0;
  const work = async () => {
    attempts += 1;
    return answer<unknown>(202, { attempts });
  };

  const first = await idempotently(ports, EVENT, work);

  expect(await idempotently(ports, EVENT, work)).toEqual(first);
  expect(attempts).toBe(1);
});

it('frees the key of a rejected request for another request', async () => {
  const { ports } = aStore();
  const quota = new ProblemError('no room', { type: 'quota_exceeded' });
  const other = { ...EVENT, body: '{"name":"another"}' };

  await expect(idempotently(ports, EVENT, () => Promise.reject(quota))).rejects.toBe(quota);
  const { statusCode } = await idempotently(ports, other, async () => answer<unknown>(201, {}));

  expect(statusCode).toBe(201);
});

/** Commits a change that writes only the keyed request with its answer. */
async function committed(
  { putRequest }: IdempotencyPorts,
  answered: ReturnType<typeof answer>,
  keep: Attempt['keep'],
) {
  const keyed = keep(answered);
  if (keyed !== undefined) await putRequest(keyed);
  return answered;
}
