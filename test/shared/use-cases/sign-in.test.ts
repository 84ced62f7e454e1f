import { expect, it } from 'vitest';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { apiKeyId, isLive } from '#shared/domain/access/api-key.ts';
import { HOUR } from '#shared/domain/market/instant.ts';
import { OutcomeUnknownError } from '#shared/domain/outcome-unknown.ts';
import { createApiKeyStore } from '#shared/stores/api-key-store.ts';
import { createKey, type KeyChange, rotateKey } from '#shared/use-cases/manage-keys.ts';
import { makeSignIn, type RedeemSignInPorts, redeemSignIn } from '#shared/use-cases/sign-in.ts';
import { NOON } from '#test/support/builders.ts';

/** The API key of a desktop computer, over a table in memory. */
async function world() {
  const keys = createApiKeyStore(createMemoryTable());
  let byte = 0;
  const random = () => {
    byte += 1;
    return new Uint8Array(32).fill(byte);
  };
  const ports = { keys, now: NOON, random, entryOf: () => undefined };
  const redeeming: RedeemSignInPorts = { ...ports, entriesBy: () => () => undefined };
  const request = { tenant: 'acme', name: 'desk', scopes: ['read'], expiresAt: undefined } as const;
  const { record: desk } = await createKey(ports, request);
  return { keys, ports, redeeming, desk };
}

it('returns the API key for a redeemed sign-in code if the response of the table was lost', async () => {
  const { keys, ports, redeeming, desk } = await world();
  const { code } = await makeSignIn(ports, desk);
  const commits: KeyChange[] = [];
  const lossy: typeof keys = {
    ...keys,
    commit: async (change) => {
      commits.push(change);
      await keys.commit(change);
      throw new OutcomeUnknownError('a key');
    },
  };

  const { key, record } = await redeemSignIn({ ...redeeming, keys: lossy }, code);

  expect(await keys.find(key)).toStrictEqual(record);
  expect(commits).toHaveLength(1);
});

it('returns a sign-in code if only the response of its write was lost, but none if the write was lost', async () => {
  const { keys, ports, redeeming, desk } = await world();
  const failing = (commit: typeof keys.commit) => ({ ...ports, keys: { ...keys, commit } });
  const lost = failing(async () => {
    throw new OutcomeUnknownError('a key');
  });
  const unanswered = failing(async (change) => {
    await keys.commit(change);
    throw new OutcomeUnknownError('a key');
  });

  await expect(makeSignIn(lost, desk)).rejects.toThrow(OutcomeUnknownError);
  const { code } = await makeSignIn(unanswered, desk);

  expect(isLive((await redeemSignIn(redeeming, code)).record, NOON)).toBe(true);
});

it('uses the new expiry of an API key that is rotated between a sign-in code and its redemption', async () => {
  const { keys, ports, redeeming, desk } = await world();
  const { code } = await makeSignIn(ports, desk);
  const stale: RedeemSignInPorts['keys'] = {
    ...keys,
    withId: async (id) => {
      const before = await keys.withId(id);
      await rotateKey(ports, desk, { expiresAt: undefined, overlap: HOUR });
      return before;
    },
  };

  const { record } = await redeemSignIn({ ...redeeming, keys: stale }, code);

  expect(record).toMatchObject({ expiresAt: NOON + HOUR, signedInFrom: desk.hash });
});

it('creates a new API key for a redeemed sign-in code, with a reference to the first key', async () => {
  const { keys, ports, redeeming, desk } = await world();
  const { code } = await makeSignIn(ports, desk);

  const { record } = await redeemSignIn(redeeming, code);

  expect(apiKeyId(record)).not.toBe(apiKeyId(desk));
  expect(await keys.withId(apiKeyId(desk))).toEqual(desk);
});
