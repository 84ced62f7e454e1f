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

/** What a tenant may use in a minute, and what came of taking some of it. */
export type RequestCount = Omit<UnitsTaken, 'used'> & { readonly unitsPerMinute: number };

/** Takes units of a tenant's limit; returns how it stands then. */
type CountRequest = (tenant: string, units: number) => Promise<RequestCount>;

export type RequestCounter = {
  /** Takes units for what is to be done, and none where they do not suffice. */
  readonly take: CountRequest;
  /** Takes units for what is done already. */
  readonly charge: CountRequest;
};

/** So many requests of one tenant may be quicker before one is asked to come again. */
const MAX_ATTEMPTS = 50;
/** An instance takes so much of a minute's units at once, for the requests that come next. */
const BLOCK = 1 / 50;
const BLOCK_IS_KEPT_FOR = 10 * SECOND;

/** What is to be written, or when there is enough to write it. */
type Taken = Pick<UnitsTaken, 'used' | 'enoughInSeconds'> & { readonly held: number };

/** What was written last for a tenant, and what of it is still to be used here. */
type Account = { readonly used: UsedUnits; readonly held: number; readonly heldUntil: Instant };

/**
 * Takes a request from its tenant's limit, all instances together. Units are taken in blocks and
 * before they are used, so together they never use more than the limit, and most requests of many
 * need no table.
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

  /** How it stands, as if what is held had not been taken. */
  const countOf = ({ used, held }: Account): RequestCount => {
    const usedUntil = used.usedUntil - (held * MINUTE) / unitsPerMinute;
    const { left, allInSeconds } = takeUnits({ ...used, usedUntil }, 0, unitsPerMinute, now());
    return { left, allInSeconds, unitsPerMinute };
  };

  const chargeFor = ({ used, held }: Account, units: number): Taken => ({
    used: chargeUnits(used, units - held, unitsPerMinute, now()),
    held: 0,
  });

  /** Takes what is lacking, and a whole block where there is so much left. */
  const takeFor = ({ used, held }: Account, units: number): Taken => {
    const lacking = units - held;
    const most = Math.max(lacking, block);
    const whole = takeUnits(used, most, unitsPerMinute, now());
    return whole.enoughInSeconds === undefined
      ? { ...whole, held: most - lacking }
      : { ...takeUnits(used, lacking, unitsPerMinute, now()), held: 0 };
  };

  /** Takes units from what is held here, or else from the table. */
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
      // What is used never becomes less but by time: memory is good enough to refuse by.
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
