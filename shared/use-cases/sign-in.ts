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
 * Creates a one-time code, with which another device gets its own key with the same scopes. The new
 * code replaces the unused code of the same key, if there is one. Throws KeyError if the tenant has
 * the maximum number of active keys.
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
    // The gateway caches authorizations, so a revoked key is accepted for half a minute.
    if (!isLive(current, ports.now)) {
      throw new KeyError(
        `the key ${apiKeyId(key)} has expired or was revoked: sign in with another one`,
        'gone',
      );
    }
    expectRoom(ports, known, tenant);
    return [{ key: { ...current, tenant, signIn } }];
  });
  return { code, expiresAt };
}

/** The ports of a redemption. The tenant is identified by the code. */
export type RedeemSignInPorts = Pick<KeyPorts, 'now' | 'random'> & {
  readonly keys: KeyPorts['keys'] & {
    readonly withId: (id: string) => Promise<ApiKeyRecord | undefined>;
  };
  /** The audit log entries of changes made with a key. */
  readonly entriesBy: (maker: ApiKeyRecord) => KeyPorts['entryOf'];
};

/**
 * Redeems a one-time code and creates the key of another device. The new key gets the scopes and
 * the expiry of the key that created the code. Throws the same KeyError for invalid, used and
 * expired codes.
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
    'the code is wrong, already used or expired: create a new one on a device that is signed in',
    'gone',
  );
}
