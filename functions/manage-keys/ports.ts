import type { Instant } from '#shared/domain/market/instant.ts';
import type { CallerTenant } from '#shared/http/caller.ts';
import type { KeyPorts } from '#shared/use-cases/manage-keys.ts';

/** The ports of the routes about keys. */
export type ManageKeysPorts = Pick<KeyPorts<CallerTenant>, 'keys' | 'random'> & {
  readonly now: () => Instant;
  /** A number that no two changes share. */
  readonly newVersion: () => number;
};
