import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { createKeyedRequestStore } from '#shared/stores/keyed-request-store.ts';
import { NOON } from '#test/support/builders.ts';
import { ENGINES } from '#test/support/engines.ts';

const request = {
  ...{ tenant: 'acme', hash: '8e03978e', version: 0, fingerprint: 'f' },
  at: NOON,
  answer: { status: 201, headers: { Location: '/v1' }, body: '{}' },
};

describe.each(ENGINES)('requests with an idempotency key in a table $name', (engine) => {
  beforeAll(engine.start);
  afterAll(engine.stop);

  it('stores a request with a key for one tenant, with a TTL of one day', async () => {
    const table = await engine.createTable();
    const requests = createKeyedRequestStore(table);

    await requests.put(request);

    expect(await requests.get('acme', '8e03978e')).toEqual({ ...request, version: 1 });
    expect(await requests.get('globex', '8e03978e')).toBeUndefined();
    const item = await table.get({ pk: 'IDEMPOTENCY#acme#8e03978e', sk: 'IDEMPOTENCY' });
    expect(item?.ttl).toBe(NOON / 1000 + 86_400);
  });

  it('keeps the first of two requests with the same key, and replaces an expired one', async () => {
    const requests = createKeyedRequestStore(await engine.createTable());
    await requests.put(request);

    await expect(requests.put({ ...request, at: NOON + 1 })).rejects.toThrow(VersionConflictError);
    await requests.put({ ...request, version: 1, at: NOON + 2 });

    expect(await requests.get('acme', '8e03978e')).toMatchObject({ at: NOON + 2 });
  });
});
