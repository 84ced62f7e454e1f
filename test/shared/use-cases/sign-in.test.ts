import { expect, it } from 'vitest';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { apiKeyId, isLive } from '#shared/domain/access/api-key.ts';
import { HOUR } from '#shared/domain/market/instant.ts';
import { OutcomeUnknownError } from '#shared/domain/outcome-unknown.ts';
import { createApiKeyStore } from '#shared/stores/api-key-store.ts';
import { createKey, type KeyChange, rotateKey } from '#shared/use-cases/manage-keys.ts';
import { makeSignIn, type RedeemSignInPorts, redeemSignIn } from '#shared/use-cases/sign-in.ts';
import { NOON } from '#test/support/builders.ts';

/** A key of a desktop over a table in memory. */
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

it('a redemption whose answer from the table was lost returns the key that it made', async () => {
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

it('a code whose write was lost is not returned, and one whose answer was lost is', async () => {
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

it('a key that is rotated between the code and its redemption gives its new end', async () => {
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

it('a key that is signed in from a key names it, and is another one', async () => {
  const { keys, ports, redeeming, desk } = await world();
  const { code } = await makeSignIn(ports, desk);

  const { record } = await redeemSignIn(redeeming, code);

  expect(apiKeyId(record)).not.toBe(apiKeyId(desk));
  expect(await keys.withId(apiKeyId(desk))).toEqual(desk);
});
