import { type ApiKeyRecord, apiKeyId, isLive } from '#shared/domain/access/api-key.ts';
import { KeyError } from '#shared/domain/access/key-error.ts';
import {
  formatSignInCode,
  hashSignInCode,
  isRedeemable,
  keyIdOfCode,
  nameOfSignedIn,
} from '#shared/domain/access/sign-in-code.ts';
import { defined } from '#shared/domain/defined.ts';
import { LIMITS } from '#shared/domain/limits.ts';
import { type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import { omit } from '#shared/domain/omit.ts';
import type { Of } from './commit-change.ts';
import {
  changeKeys,
  expectRoom,
  found,
  has,
  type IssuedKey,
  type KeyPorts,
  newKey,
} from './manage-keys.ts';

/** A one-time code, which is shown once. */
export type SignInCode = { readonly code: string; readonly expiresAt: Instant };

/**
 * Makes a one-time code by which another device gets a key of its own, with the scopes of a key. It
 * replaces the open code of that key. Throws KeyError if the tenant has no room for another key.
 */
export async function makeSignIn<Tenant extends string>(
  ports: KeyPorts<Tenant>,
  key: Of<Tenant, ApiKeyRecord>,
): Promise<SignInCode> {
  const { tenant } = key;
  const code = formatSignInCode(key, ports.random());
  const expiresAt = ports.now + LIMITS.code.minutes * MINUTE;
  const signIn = { hash: hashSignInCode(code), expiresAt };
  await changeKeys(ports, tenant, (known) => {
    const current = found(known, key);
    if (current.signIn?.hash === signIn.hash) return [];
    // The gateway accepts a revoked key for half a minute.
    if (!isLive(current, ports.now)) {
      throw new KeyError(`the key ${apiKeyId(key)} has ended: sign in with another`, 'gone');
    }
    expectRoom(ports, known, tenant);
    return [{ key: { ...current, tenant, signIn } }];
  });
  return { code, expiresAt };
}

/** The ports of a redemption, whose tenant is known by the code alone. */
export type RedeemSignInPorts = Pick<KeyPorts, 'now' | 'random'> & {
  readonly keys: KeyPorts['keys'] & {
    readonly withId: (id: string) => Promise<ApiKeyRecord | undefined>;
  };
  /** The audit log's entries of changes that are made by a key. */
  readonly entriesBy: (maker: ApiKeyRecord) => KeyPorts['entryOf'];
};

/**
 * Ends a one-time code and makes the key of another device. The new key copies scopes and end of
 * the key that made the code. Throws the same KeyError for a wrong, a used and an expired code.
 */
export async function redeemSignIn(ports: RedeemSignInPorts, code: string): Promise<IssuedKey> {
  const id = keyIdOfCode(code);
  const maker = id === undefined ? undefined : await ports.keys.withId(id);
  const hash = hashSignInCode(code);
  if (maker === undefined || !isRedeemable(maker, { hash }, ports.now)) throw notRedeemable();
  const { tenant } = maker;
  const keyPorts = { ...ports, entryOf: ports.entriesBy(maker) };
  const { key, record } = newKey(keyPorts, {
    ...{ tenant, name: nameOfSignedIn(maker), scopes: maker.scopes, expiresAt: undefined },
  });
  const known = await changeKeys(keyPorts, tenant, (keys) => {
    if (has(keys, record)) return [];
    const current = found(keys, maker);
    if (!isRedeemable(current, { hash }, ports.now)) throw notRedeemable();
    expectRoom(ports, keys, tenant);
    const { expiresAt } = current;
    return [
      { key: omit(current, 'signIn') },
      { key: { ...record, ...defined({ expiresAt }), signedInFrom: maker.hash }, kind: 'key_made' },
    ];
  });
  return { key, record: found(known, record) };
}

function notRedeemable(): KeyError {
  return new KeyError(
    'the code is wrong, was used, or has expired: make a new one on a device that is signed in',
    'gone',
  );
}
