import {
  chargeUnits,
  takeUnits,
  UNUSED,
  type UnitsTaken,
  type UsedUnits,
} from '#shared/domain/access/request-units.ts';
import { type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import { mayHaveChanged } from '#shared/domain/outcome-unknown.ts';
import type { DailySharePorts } from '#shared/use-cases/daily-share.ts';

export type RequestCounterPorts = DailySharePorts & { readonly unitsPerMinute: number };

/** The units left for a tenant, and whether units could be taken. */
export type RequestCount = Omit<UnitsTaken, 'used'> & { readonly unitsPerMinute: number };

/** Takes units from a tenant's limit; returns the state of the limit. */
type CountRequest = (tenant: string, units: number) => Promise<RequestCount>;

export type RequestCounter = {
  /** Takes units before an operation. If too few are left, it takes no units. */
  readonly take: CountRequest;
  /** Takes units after an operation. */
  readonly charge: CountRequest;
};

/**
 * A request is throttled after this number of version conflicts with concurrent requests of its
 * tenant.
 */
const MAX_ATTEMPTS = 50;
/** The share of a minute's units that an instance takes in one write, for its next requests. */
const BLOCK = 1 / 50;
const BLOCK_IS_KEPT_FOR = 10 * SECOND;

/** The usage to write, or the seconds until enough units are left. */
type Taken = Pick<UnitsTaken, 'used' | 'enoughInSeconds'> & { readonly held: number };

/** The last usage written for a tenant, and the taken units that this instance has not used yet. */
type Account = { readonly used: UsedUnits; readonly held: number; readonly heldUntil: Instant };

/**
 * Counts requests toward the limits of tenants across all instances. Each instance takes units in
 * blocks before it uses them. All instances together therefore never exceed the limit, and most
 * requests do not access the table.
 */
export function createRequestCounter(ports: RequestCounterPorts): RequestCounter {
  const { now, unitsPerMinute, usage } = ports;
  const block = Math.floor(unitsPerMinute * BLOCK);
  const accounts = new Map<string, Account>();

  const remembered = (tenant: string): Account | undefined => {
    const account = accounts.get(tenant);
    const isKept = account === undefined || now() < account.heldUntil;
    return isKept ? account : { ...account, held: 0 };
  };
  const read = async (tenant: string): Promise<Account> => {
    return { used: (await usage.get(tenant)) ?? UNUSED, held: 0, heldUntil: 0 };
  };

  /** The state of the limit. Units that this instance has taken but not used count as left. */
  const countOf = ({ used, held }: Account): RequestCount => {
    const usedUntil = used.usedUntil - (held * MINUTE) / unitsPerMinute;
    const { left, allInSeconds } = takeUnits({ ...used, usedUntil }, 0, unitsPerMinute, now());
    return { left, allInSeconds, unitsPerMinute };
  };

  const chargeFor = ({ used, held }: Account, units: number): Taken => ({
    used: chargeUnits(used, units - held, unitsPerMinute, now()),
    held: 0,
  });

  /** Takes a whole block of units if enough are left, otherwise only the missing units. */
  const takeFor = ({ used, held }: Account, units: number): Taken => {
    const lacking = units - held;
    const most = Math.max(lacking, block);
    const whole = takeUnits(used, most, unitsPerMinute, now());
    return whole.enoughInSeconds === undefined
      ? { ...whole, held: most - lacking }
      : { ...takeUnits(used, lacking, unitsPerMinute, now()), held: 0 };
  };

  /** Takes units from this instance's block, otherwise from the table. */
  const changing = async (
    tenant: string,
    units: number,
    takeFrom: (account: Account) => Taken,
  ): Promise<RequestCount> => {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const account = remembered(tenant) ?? (await read(tenant));
      if (account.held >= units) {
        const rest = { ...account, held: account.held - units };
        accounts.set(tenant, rest);
        return countOf(rest);
      }
      const { held, ...taken } = takeFrom(account);
      // Usage decreases only over time, so a cached record is sufficient to reject a request.
      if (taken.enoughInSeconds !== undefined) {
        return { ...countOf(account), enoughInSeconds: taken.enoughInSeconds };
      }
      accounts.delete(tenant);
      try {
        const used = await usage.put(tenant, taken.used);
        const next = { used, held, heldUntil: now() + BLOCK_IS_KEPT_FOR };
        accounts.set(tenant, next);
        return countOf(next);
      } catch (error) {
        if (!mayHaveChanged(error)) throw error;
      }
    }
    return { left: 0, allInSeconds: 60, enoughInSeconds: 1, unitsPerMinute };
  };

  return {
    take: (tenant, units) => changing(tenant, units, (account) => takeFor(account, units)),
    charge: (tenant, units) => changing(tenant, units, (account) => chargeFor(account, units)),
  };
}
