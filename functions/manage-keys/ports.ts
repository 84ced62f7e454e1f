import type { Instant } from '#shared/domain/market/instant.ts';
import type { Change } from '#shared/domain/watchlists/change.ts';
import type { CallerTenant, Own } from '#shared/http/caller.ts';
import type { KeyPorts } from '#shared/use-cases/manage-keys.ts';

/** The ports of the routes about keys. */
export type ManageKeysPorts = Pick<KeyPorts<CallerTenant>, 'keys' | 'random'> & {
  readonly now: () => Instant;
  /** A number that no two changes share. */
  readonly newVersion: () => number;
  readonly putChange: (change: Own<Change>) => Promise<void>;
};
