import { takeUnits, UNUSED, type UsedUnits } from '#shared/domain/access/request-units.ts';
import { DAY, type Instant } from '#shared/domain/market/instant.ts';
import { OPERATIONS, type Operation } from '#shared/domain/market/operations.ts';
import { mayHaveChanged } from '#shared/domain/outcome-unknown.ts';
import { type UpstreamLimits, unitsOfTenant } from '#shared/domain/polling/upstream-limits.ts';

export type DailySharePorts = {
  readonly now: () => Instant;
  readonly usage: {
    readonly get: (tenant: string) => Promise<UsedUnits | undefined>;
    /** Throws VersionConflictError if the usage has changed since it was read. */
    readonly put: (tenant: string, used: UsedUnits) => Promise<UsedUnits>;
  };
};

export type ProviderSharePorts = DailySharePorts & { readonly limits: UpstreamLimits };

/**
 * Charges a provider call to the tenant's daily share. If the share is used up, it charges nothing
 * and returns the seconds to wait.
 */
export type TakeProviderCall = (
  tenant: string,
  operation: Operation,
) => Promise<number | undefined>;

/** Charges units to the tenant's daily share, or returns the seconds until enough are left. */
export type TakeUnits = (tenant: string, units: number) => Promise<number | undefined>;

/** Maximum version conflicts with other requests of the tenant before the caller is throttled. */
const MAX_ATTEMPTS = 20;

export function createProviderShare({ limits, ...ports }: ProviderSharePorts): TakeProviderCall {
  const take = createDailyShare(ports, unitsOfTenant(limits));
  return (tenant, operation) =>
    take(tenant, Math.max(...OPERATIONS[operation].calls.map((call) => limits.costs[call])));
}

/** Used units are restored evenly over a day. */
export function createDailyShare({ now, usage }: DailySharePorts, unitsPerDay: number): TakeUnits {
  return async (tenant, units) => {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const used = (await usage.get(tenant)) ?? UNUSED;
      const taken = takeUnits(used, units, unitsPerDay, now(), DAY);
      if (taken.enoughInSeconds !== undefined) return taken.enoughInSeconds;
      try {
        await usage.put(tenant, taken.used);
        return undefined;
      } catch (error) {
        if (!mayHaveChanged(error)) throw error;
      }
    }
    return 1;
  };
}
