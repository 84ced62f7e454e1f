import type { Instant } from '#shared/domain/market/instant.ts';
import type { CallerTenant } from '#shared/http/caller.ts';
import type { KeyPorts } from '#shared/use-cases/manage-keys.ts';
import type { RedeemSignInPorts } from '#shared/use-cases/sign-in.ts';

/** The ports of the routes about keys. */
export type ManageKeysPorts = Pick<KeyPorts<CallerTenant>, 'keys' | 'random'> & {
  readonly now: () => Instant;
  /** A number that no two changes share. */
  readonly newVersion: () => number;
  /** The keys of all tenants: the tenant of a one-time code follows from the code alone. */
  readonly allKeys: RedeemSignInPorts['keys'];
};
