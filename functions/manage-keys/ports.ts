import type { Instant } from '#shared/domain/market/instant.ts';
import type { CallerTenant } from '#shared/http/caller.ts';
import type { KeyPorts } from '#shared/use-cases/manage-keys.ts';
import type { RedeemSignInPorts } from '#shared/use-cases/sign-in.ts';

/** The ports of the routes about keys. */
export type ManageKeysPorts = Pick<KeyPorts<CallerTenant>, 'keys' | 'random'> & {
  readonly now: () => Instant;
  /** A number that is unique to each change. */
  readonly newVersion: () => number;
  /**
   * Reads keys of all tenants, because a one-time code identifies its tenant only through the key
   * that created it.
   */
  readonly allKeys: RedeemSignInPorts['keys'];
};
