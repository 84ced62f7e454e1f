import { DAY, MINUTE } from '#shared/domain/market/instant.ts';
import type { Pace } from './pace.ts';

/** How often contracts are polled, as the planner has last worked it out. */
export type Cadences = {
  /** The pace of tenants whose share does not carry the configured cadence. */
  readonly stretched: Readonly<Record<string, Pace>>;
  /** The contracts that rate and budget carry at the configured cadence; absent before the first tick. */
  readonly capacity?: number | undefined;
  /** The contracts of each tenant; of one that several watch each has a part. */
  readonly contracts: Readonly<Record<string, number>>;
};

export const NO_CADENCES: Cadences = { stretched: {}, contracts: {} };

/** So seldom at most may a tenant have its contracts polled. */
const LONGEST_MINUTES = DAY / MINUTE;

/** The longest cadence of all tenants. */
export function longestCadence({ stretched }: Cadences, configuredMinutes: number): number {
  return Math.max(configuredMinutes, ...Object.values(stretched).map(({ minutes }) => minutes));
}

/**
 * Whether contracts are polled so much less often than promised that it is reported.
 */
export function isFarStretched(cadenceMinutes: number, configuredMinutes: number): boolean {
  return cadenceMinutes > 2 * configuredMinutes;
}

/**
 * How many contracts a tenant can have polled at the configured cadence: an equal part of all, or
 * what the others leave. Less than one where the budget is small. Undefined before the first tick.
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

/** Minutes between two polls where a share is needed so many times over. */
export function stretchedCadence(configuredMinutes: number, stretch: number): number {
  // What a share lacks by rounding is not lacking.
  const doublings = Math.ceil(Math.log2(stretch) - 1e-9);
  return configuredMinutes * 2 ** Math.max(0, Math.min(doublings, MOST_DOUBLINGS));
}

/** Where nothing is left of a share, nothing is polled until there is a new one. */
const MOST_DOUBLINGS = 16;

/** How many contracts a tenant may have: more would be polled less than once a day. */
export function mostContracts(fitting: number, configuredMinutes: number): number {
  return Math.floor(fitting * Math.max(1, LONGEST_MINUTES / configuredMinutes));
}
