import { formatInstant, type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import { isAnsweredBy } from '#shared/domain/market/operations.ts';
import { type Cadences, isFarStretched, longestCadence } from '#shared/domain/polling/cadences.ts';
import { denialsOf, type GovernorRecord } from '#shared/domain/polling/governor.ts';
import { operationInWords } from '#shared/domain/polling/part-health.ts';
import { LATE_AFTER, type PollProgress } from '#shared/domain/polling/poll-progress.ts';
import { remembered } from '#shared/use-cases/remembered.ts';
import type { ReadContractsPorts } from './ports.ts';

/** The health of the stack: the last minute whose polls were all sent, and its troubles. */
export type HealthCheck = {
  readonly dispatchedAt: Instant | undefined;
  readonly troubles: readonly string[];
  /** Shortfalls that are no failures. */
  readonly notes: readonly string[];
};

/** Seconds between two readings of the table, however many requests there are. */
export const HEALTH_SECONDS = 10;
/** Makes a check of the stack for the public: it names no tenants, and reads the table seldom. */
export function createHealthCheck(
  ports: Pick<
    ReadContractsPorts,
    'now' | 'getProgress' | 'getGovernor' | 'getCadences' | 'configuredCadenceMinutes'
  >,
): () => Promise<HealthCheck> {
  const check = async () => {
    const now = ports.now();
    const [progress, governor, cadences] = await Promise.all([
      ports.getProgress(),
      ports.getGovernor(),
      ports.getCadences(),
    ]);
    const { dispatchedAt, late, denials } = healthOf(progress, governor, now);
    const standIn = progress?.standsIn;
    const notes = stretched(cadences, ports.configuredCadenceMinutes);
    if (standIn === undefined) return { dispatchedAt, troubles: [...late, ...denials], notes };
    if (!isAnsweredBy(standIn, 'floor')) {
      const said = `${standIn} reports sales in place of the data provider, and no floors`;
      return { dispatchedAt, troubles: [...late, ...denials], notes: [said, ...notes] };
    }
    // Prices come all the same.
    const said = [`${standIn} stands in for the data provider`, ...denials].join(': ');
    return { dispatchedAt, troubles: late, notes: [said, ...notes] };
  };
  return remembered(check, HEALTH_SECONDS * SECOND, ports.now);
}

function healthOf(progress: PollProgress | undefined, governor: GovernorRecord, now: Instant) {
  const dispatchedAt = progress === undefined ? undefined : progress.polledUntil * MINUTE;
  const isLate = dispatchedAt === undefined || now - dispatchedAt > LATE_AFTER;
  const since = dispatchedAt === undefined ? '' : ` since ${formatInstant(dispatchedAt)}`;
  return {
    dispatchedAt,
    late: isLate ? [`no round of polls was sent${since}`] : [],
    denials: denialsOf(governor, 'polling', now).map(
      ({ operation, since }) =>
        `the data provider has denied ${operationInWords(operation)} since ${formatInstant(since)}`,
    ),
  };
}

function stretched(cadences: Cadences, configuredMinutes: number): readonly string[] {
  const longest = longestCadence(cadences, configuredMinutes);
  return isFarStretched(longest, configuredMinutes)
    ? [`some contracts are polled every ${longest} minutes, not every ${configuredMinutes}`]
    : [];
}
