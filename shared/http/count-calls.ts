import { takeUnits, UNUSED } from '#shared/domain/access/request-units.ts';
import { DAY } from '#shared/domain/market/instant.ts';
import { OPERATIONS, type Operation } from '#shared/domain/market/operations.ts';
import { mayHaveChanged } from '#shared/domain/outcome-unknown.ts';
import { type UpstreamLimits, unitsOfTenant } from '#shared/domain/polling/upstream-limits.ts';
import type { RequestCounterPorts } from './count-request.ts';

export type CallCounterPorts = Pick<RequestCounterPorts, 'now' | 'usage'> & {
  readonly limits: UpstreamLimits;
};

/**
 * Takes what asking the provider costs from what a tenant may have it asked for in a day. Reports
 * the seconds until there is enough, where there is not; nothing was taken then.
 */
export type TakeCall = (tenant: string, operation: Operation) => Promise<number | undefined>;

/** Takes so many units of a tenant's day: the seconds until there are enough, where there are not. */
export type TakeOfDay = (tenant: string, units: number) => Promise<number | undefined>;

/** So many requests of one tenant may be quicker before one is asked to come again. */
const MAX_ATTEMPTS = 20;

export function createCallCounter({ limits, ...ports }: CallCounterPorts): TakeCall {
  const take = createDailyCounter(ports, unitsOfTenant(limits));
  return (tenant, operation) =>
    take(tenant, Math.max(...OPERATIONS[operation].calls.map((call) => limits.costs[call])));
}

/** What is spent comes back evenly, all of it in a day. */
export function createDailyCounter(
  { now, usage }: Pick<RequestCounterPorts, 'now' | 'usage'>,
  unitsPerDay: number,
): TakeOfDay {
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
