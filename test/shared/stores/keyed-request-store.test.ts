import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { createKeyedRequestStore } from '#shared/stores/keyed-request-store.ts';
import { NOON } from '#test/support/builders.ts';
import { ENGINES } from '#test/support/engines.ts';

const request = {
  ...{ tenant: 'acme', hash: '8e03978e', version: 0, fingerprint: 'f' },
  ...{ at: NOON, until: NOON + 60_000 },
};

describe.each(ENGINES)('requests with a key in a table $name', (engine) => {
  beforeAll(engine.start);
  afterAll(engine.stop);

  it('a request belongs to one tenant and expires after a day', async () => {
    const table = await engine.createTable();
    const requests = createKeyedRequestStore(table);
    const answer = { status: 201, headers: { Location: '/v1' }, body: '{}' };

    const written = await requests.put({ ...request, answer });

    expect(await requests.get('acme', '8e03978e')).toEqual(written);
    expect(await requests.get('globex', '8e03978e')).toBeUndefined();
    const item = await table.get({ pk: 'IDEMPOTENCY#acme#8e03978e', sk: 'IDEMPOTENCY' });
    expect(item?.ttl).toBe(NOON / 1000 + 86_400);
  });

  it('a writer that read a removed request conflicts with its successor', async () => {
    const requests = createKeyedRequestStore(await engine.createTable());
    const former = await requests.put(request);
    await requests.remove(former);
    await requests.put({ ...request, at: NOON + 1 });

    await expect(requests.put(former)).rejects.toThrow(VersionConflictError);
    await expect(requests.remove(former)).rejects.toThrow(VersionConflictError);
  });
});
