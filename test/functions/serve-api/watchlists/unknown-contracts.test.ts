import { expect, it, vi } from 'vitest';
import { LIMITS } from '#shared/domain/limits.ts';
import type { Searched } from '#shared/domain/market/collection-search.ts';
import { newContractRecord } from '#shared/domain/polling/contract-record.ts';
import { APES, aWatchlistBody, NOON, PUNKS } from '#test/support/builders.ts';
import { ANY, world } from './world.ts';

const TYPO = 'eth:0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbc';
const WARNING = {
  rule: null,
  contract: TYPO,
  text: `the data provider does not have the contract "${TYPO}"; check the chain and the address`,
};

const KNOWN = { name: 'CryptoPunks', slug: 'cryptopunks' };

/**
 * A stack whose provider finds all contracts except TYPO, or refuses each search with this result.
 */
function stack(refusal?: Searched) {
  const asked: string[] = [];
  const made = world({
    searchCollection: async (_tenant, text) => {
      asked.push(text);
      if (refusal !== undefined) return refusal;
      return text === TYPO
        ? { kind: 'not_found' }
        : { kind: 'found', contract: PUNKS, collection: KNOWN };
    },
  });
  return { ...made, asked };
}

const list = (...contracts: readonly string[]) => ({
  body: { ...aWatchlistBody(), id: 'apes', contracts },
});
const dryRun = { query: { dryRun: 'true' } };

it('an unknown contract is watched with a warning, however it is added to a list', async () => {
  const { ask } = stack();

  const tried = await ask('PUT apes', { ...list(TYPO), ...dryRun });
  const made = await ask('POST', list(PUNKS, TYPO));
  const without = await ask('PUT apes', { ...list(PUNKS), ...ANY });
  const put = await ask('PUT apes', { ...list(PUNKS, TYPO), ...ANY });
  await ask('PUT apes', { ...list(PUNKS), ...ANY });
  const added = await ask('POST apes/contracts', { ...ANY, body: { contract: TYPO } });

  expect(tried).toMatchObject({ status: 200, body: { forecast: { warnings: [WARNING] } } });
  expect(made).toMatchObject({ status: 201, body: { forecast: { warnings: [WARNING] } } });
  expect(made.body.contracts).toEqual([{ contract: PUNKS }, { contract: TYPO }]);
  expect(without.body.forecast.warnings).toEqual([]);
  expect(put.body.forecast.warnings).toEqual([WARNING]);
  expect(added).toMatchObject({ status: 201, body: { forecast: { warnings: [WARNING] } } });
});

it('a contract is looked up when it joins a list, not with every change', async () => {
  const { ask, asked } = stack();
  await ask('POST', list(TYPO));
  asked.splice(0);

  await ask('PUT apes', { ...list(TYPO), body: { ...list(TYPO).body, name: 'Other' }, ...ANY });
  await ask('POST apes/rules', {
    ...ANY,
    body: { metric: 'floor_price', when: 'below', threshold: '1' },
  });

  expect(asked).toEqual([]);
});

it('a contract is not looked up if the provider has answered for it', async () => {
  const { ask, asked, contracts } = stack();
  const record = newContractRecord(PUNKS, NOON);
  await contracts.put({ ...record, series: { floor: { answeredAt: NOON } } });
  await contracts.put({
    ...newContractRecord(APES, NOON),
    series: { floor: { noDataSince: NOON } },
  });

  await ask('POST', list(PUNKS, APES));

  expect(asked).toEqual([APES]);
});

it('a contract is not looked up if its name is stored', async () => {
  const { ask, asked, ports } = stack();

  await ask('POST', list(PUNKS));
  await ask('POST', { body: { ...list(PUNKS).body, id: 'others' } });

  expect(asked).toEqual([PUNKS]);
  expect(await ports.getCollection(PUNKS)).toEqual(KNOWN);
});

it('at most ten contracts of a request are looked up', async () => {
  const { ask, asked } = stack();
  const many = Array.from(
    { length: LIMITS.request.names + 1 },
    (_, index) => `eth:0x${index.toString(16).padStart(40, '0')}`,
  );

  const made = await ask('POST', list(...many));

  expect(made.status).toBe(201);
  expect(asked).toHaveLength(LIMITS.request.names);
});

it.each<readonly [Searched, number]>([
  [{ kind: 'share_used_up', retryAfterSeconds: 7 }, 1],
  [{ kind: 'no_capacity', until: NOON }, 1],
  [{ kind: 'denied', reason: 'key' }, 1],
  [{ kind: 'throttled' }, 1],
  [{ kind: 'failed', reason: 'timeout' }, 1],
  [{ kind: 'empty' }, 1],
  [{ kind: 'unsupported', reason: 'shared' }, 2],
  [{ kind: 'unclear', candidates: [] }, 2],
])('a contract is not reported as unknown if its lookup returns %o', async (refusal, times) => {
  const { ask, asked } = stack(refusal);

  const made = await ask('POST', list(TYPO, PUNKS));

  expect(made).toMatchObject({ status: 201, body: { forecast: { warnings: [] } } });
  expect(asked).toHaveLength(times);
});

it('a contract is not reported as unknown if its lookup times out, and the list is still written', async () => {
  const late = AbortSignal.abort(new DOMException('late', 'TimeoutError'));
  using _timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(late);
  const { ask } = world({
    searchCollection: async (_tenant, _asked, signal) => {
      signal.throwIfAborted();
      return { kind: 'not_found' };
    },
  });

  const made = await ask('POST', list(TYPO));

  expect(made).toMatchObject({ status: 201, body: { forecast: { warnings: [] } } });
});
