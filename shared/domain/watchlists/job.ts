import * as z from 'zod';
import type { Alert } from '#shared/domain/alerting/alert.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';

/**
 * The work of a job: its kind, and the members that distinguish it from other jobs of that kind.
 */
export const JobTarget = z.lazy(() =>
  z.discriminatedUnion('kind', [
    z.object({
      kind: z.enum([
        /** Applies the list to the contracts of the job. */
        'apply',
        /** Creates a topic and a subscription for each endpoint of the list. */
        'topic',
        /** Releases the alerts of a mute that was lifted before its end. */
        'mutes',
        /** Reads the wallet of the list again. */
        'wallet',
        /** Sends the report of the list. */
        'report',
      ]),
    }),
    /** Reports that a rule has ended. Each end time of a rule has its own job. */
    z.object({ kind: z.literal('expiry'), rule: z.string(), end: z.int() }),
    z.object({
      kind: z.enum([
        /** Shows an acknowledgement in the messages of its episode. */
        'acknowledgement',
        /** Escalates the episode unless it is acknowledged in time. */
        'escalation',
      ]),
      contract: ContractKey,
      rule: z.string(),
      generation: z.int(),
      episode: z.int(),
    }),
  ]),
);
export type JobTarget = z.output<typeof JobTarget>;
export type JobKind = JobTarget['kind'];
export type ExpiryTarget = Extract<JobTarget, { kind: 'expiry' }>;
/** One episode of a watch of the list. */
export type EpisodeTarget = Extract<JobTarget, { kind: 'acknowledgement' | 'escalation' }>;

/** Identifies a job. It is also the message that starts the job. */
export const JobId = z.lazy(() =>
  z.object({
    list: z.object({ tenant: z.string(), id: z.string() }),
    target: JobTarget,
  }),
);
export type JobId = z.output<typeof JobId>;

/**
 * A job of a list. The transaction that stores a change also creates the job, and `wake-work`
 * repeats the job until it is done.
 */
export type Job = JobId & {
  /**
   * The revision of the list that the job applies; for `mutes` the version of the mutes, for
   * `acknowledgement` the time of the acknowledgement.
   */
  readonly revision: number;
  readonly createdAt: Instant;
  /** When `wake-work` repeats the job. */
  readonly dueAt: Instant;
  /** Only for `apply`: the contracts to which the list is applied. */
  readonly contracts?: readonly ContractKey[] | undefined;
  /** Only for `wallet`: the last revision made by the wallet that was reported to people. */
  readonly informedOf?: number | undefined;
  /**
   * Only for `wallet`: the time since which the provider's answers have lacked so many members that
   * they are not used.
   */
  readonly doubtedSince?: Instant | undefined;
  /**
   * Only for `acknowledgement` and `escalation`: an alert of the episode, whose texts later
   * messages repeat.
   */
  readonly alert?: Pick<Alert, 'at' | 'id'> | undefined;
  /**
   * Only for `escalation`: when the alert was escalated. The job then remains until the episode has
   * ended.
   */
  readonly escalatedAt?: Instant | undefined;
  /** Distinguishes this job from others of the same revision. */
  readonly version: number;
};

/** The revision of a list that was applied to a contract, and when that revision was read. */
export type Applied = {
  readonly contract: ContractKey;
  readonly revision: number;
  readonly at: Instant;
};

/** The contracts to which a job's list is not applied yet. */
export function notApplied(
  { contracts = [], revision, createdAt }: Job,
  applied: readonly Applied[],
): readonly ContractKey[] {
  const done = new Set(
    applied.flatMap((one) =>
      one.revision >= revision && one.at >= createdAt ? [one.contract] : [],
    ),
  );
  return contracts.filter((contract) => !done.has(contract));
}
