import type { Instant } from '#shared/domain/market/instant.ts';
import {
  takeUnits,
  type UnitsTaken,
  type UsedUnits,
} from '#shared/domain/nft-data/request-units.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';

export type RequestCounterPorts = {
  readonly now: () => Instant;
  readonly unitsPerMinute: number;
  readonly getUsed: (tenant: string) => Promise<UsedUnits | undefined>;
  /** Rejects with VersionConflictError where it has changed since it was read. */
  readonly putUsed: (tenant: string, used: UsedUnits) => Promise<UsedUnits>;
};

/** What a tenant may use in a minute, and what came of taking some of it. */
export type RequestCount = UnitsTaken & { readonly unitsPerMinute: number };

export type CountRequest = (tenant: string, units: number) => Promise<RequestCount>;

/** So many requests of one tenant may be quicker before one is told to come again. */
const MAX_ATTEMPTS = 50;

/**
 * Takes a request from its tenant's limit, all instances together. What was written last is
 * remembered, so that a lone instance needs one conditional write and no read.
 */
export function createRequestCounter(ports: RequestCounterPorts): CountRequest {
  const { now, unitsPerMinute, getUsed, putUsed } = ports;
  const remembered = new Map<string, UsedUnits>();
  return async (tenant, units) => {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const known = remembered.get(tenant) ?? (await getUsed(tenant));
      const taken = takeUnits(known ?? UNUSED, units, unitsPerMinute, now());
      // What is used never becomes less but by time: memory is good enough to refuse by.
      if (taken.enoughInSeconds !== undefined) return { ...taken, unitsPerMinute };
      remembered.delete(tenant);
      try {
        remembered.set(tenant, await putUsed(tenant, taken.used));
        return { ...taken, unitsPerMinute };
      } catch (error) {
        if (!(error instanceof VersionConflictError)) throw error;
      }
    }
    return { ...NONE_NOW, unitsPerMinute };
  };
}

const UNUSED: UsedUnits = { version: 0, usedUntil: 0 };

const NONE_NOW: UnitsTaken = {
  used: UNUSED,
  left: 0,
  allInSeconds: 60,
  enoughInSeconds: 1,
};
