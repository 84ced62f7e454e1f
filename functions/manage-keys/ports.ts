import type { Instant } from '#shared/domain/market/instant.ts';
import type { CallerTenant } from '#shared/http/caller.ts';
import type { KeyPorts } from '#shared/use-cases/manage-keys.ts';
import type { RedeemSignInPorts } from '#shared/use-cases/sign-in.ts';

/** The ports of the routes about keys. */
export type ManageKeysPorts = Pick<KeyPorts<CallerTenant>, 'keys' | 'random'> & {
  readonly now: () => Instant;
  /** A number that no two changes share. */
  readonly newVersion: () => number;
  /** The keys of all tenants, for requests whose tenant is known by their code. */
  readonly allKeys: RedeemSignInPorts['keys'];
};
