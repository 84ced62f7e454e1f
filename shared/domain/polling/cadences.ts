import { DAY, MINUTE } from '#shared/domain/market/instant.ts';
import type { Pace } from './pace.ts';

/** The polling cadences of all tenants, as the planner's last pass computed them. */
export type Cadences = {
  /** The pace of each tenant whose share is too small for the configured cadence. */
  readonly stretched: Readonly<Record<string, Pace>>;
  /**
   * Number of contracts that rate and budget allow at the configured cadence; absent before the
   * first pass.
   */
  readonly capacity?: number | undefined;
  /**
   * Number of contracts of each tenant. A contract of several tenants counts as a fraction for
   * each.
   */
  readonly contracts: Readonly<Record<string, number>>;
};

export const NO_CADENCES: Cadences = { stretched: {}, contracts: {} };

/** Maximum minutes between two polls. A change to a list that would require more is refused. */
const LONGEST_MINUTES = DAY / MINUTE;

/** The longest cadence of all tenants. */
export function longestCadence({ stretched }: Cadences, configuredMinutes: number): number {
  return Math.max(configuredMinutes, ...Object.values(stretched).map(({ minutes }) => minutes));
}

/** Whether a cadence is more than twice the configured one, so that people must be informed. */
export function isFarStretched(cadenceMinutes: number, configuredMinutes: number): boolean {
  return cadenceMinutes > 2 * configuredMinutes;
}

/**
 * Number of contracts that a tenant can have polled at the configured cadence: an equal part of the
 * capacity, or everything that the others do not use, whichever is more. The number is less than
 * one if the budget is small. Undefined before the first pass.
 */
export function contractsThatFit(
  { capacity, contracts }: Cadences,
  tenant: string,
): number | undefined {
  if (capacity === undefined) return undefined;
  const others = Object.entries(contracts).filter(([other]) => other !== tenant);
  const taken = others.reduce((sum, [, count]) => sum + count, 0);
  return Math.max(capacity / (others.length + 1), capacity - taken);
}

/** Minutes between two polls for a tenant that needs `stretch` times its share. */
export function stretchedCadence(configuredMinutes: number, stretch: number): number {
  // Subtract a little, so that a rounding error does not double the cadence.
  const doublings = Math.ceil(Math.log2(stretch) - 1e-9);
  return configuredMinutes * 2 ** Math.max(0, Math.min(doublings, MOST_DOUBLINGS));
}

/**
 * Maximum number of doublings. With this many doublings, contracts are effectively not polled until
 * the next day or month. This happens if nothing is left of a share.
 */
const MOST_DOUBLINGS = 16;

/**
 * Maximum number of contracts of a tenant. With more, each would be polled less than once a day.
 */
export function mostContracts(fitting: number, configuredMinutes: number): number {
  return Math.floor(fitting * Math.max(1, LONGEST_MINUTES / configuredMinutes));
}
