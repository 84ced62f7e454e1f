import * as z from 'zod';
import type { Alert } from '#shared/domain/alerting/alert.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';

/** The work of a job: its kind, and what tells it from other jobs of that kind. */
export const JobTarget = z.discriminatedUnion('kind', [
  z.object({
    kind: z.enum([
      /** Applies the list to the contracts of the job. */
      'apply',
      /** Keeps a topic and a subscription for each endpoint of the list. */
      'topic',
      /** Releases what a mute held that was lifted before its end. */
      'mutes',
      /** Reads the wallet of the list again. */
      'wallet',
      /** Sends the report of the list. */
      'report',
    ]),
  }),
  /** Reports the end of a rule. Another end has another job. */
  z.object({ kind: z.literal('expiry'), rule: z.string(), end: z.int() }),
  z.object({
    kind: z.enum([
      /** Shows an acknowledgement in the messages of its episode. */
      'acknowledgement',
      /** Informs others unless the episode is acknowledged in time. */
      'escalation',
    ]),
    contract: ContractKey,
    rule: z.string(),
    generation: z.int(),
    episode: z.int(),
  }),
]);
export type JobTarget = z.output<typeof JobTarget>;
export type JobKind = JobTarget['kind'];
export type ExpiryTarget = Extract<JobTarget, { kind: 'expiry' }>;
/** One episode of a watch of the list. */
export type EpisodeTarget = Extract<JobTarget, { kind: 'acknowledgement' | 'escalation' }>;

/** Identifies a job. This is the message that has the job done. */
export const JobId = z.object({
  list: z.object({ tenant: z.string(), id: z.string() }),
  target: JobTarget,
});
export type JobId = z.output<typeof JobId>;

/** A job of a list. The transaction of a change makes it, and `wake-work` repeats it until it is done. */
export type Job = JobId & {
  /**
   * The revision that is to be brought into effect; of mutes, their version, of an acknowledgement,
   * its moment.
   */
  readonly revision: number;
  readonly createdAt: Instant;
  /** When `wake-work` repeats it. */
  readonly dueAt: Instant;
  /** Of `apply`: the contracts to which the list is applied. */
  readonly contracts?: readonly ContractKey[] | undefined;
  /** Of a wallet: the last revision that it made of which people were informed. */
  readonly informedOf?: number | undefined;
  /** Of a wallet: since when its answers lack so much that they are not believed. */
  readonly doubtedSince?: Instant | undefined;
  /** Of an episode: an alert of it, whose words its news repeat. */
  readonly alert?: Pick<Alert, 'at' | 'id'> | undefined;
  /** Of an escalation: when it came to that; it stays until the episode is over. */
  readonly escalatedAt?: Instant | undefined;
  /** Identifies this job, also among jobs of the same revision. */
  readonly version: number;
};

/** The revision of a list that was applied to a contract, and when that revision was read. */
export type Applied = {
  readonly contract: ContractKey;
  readonly revision: number;
  readonly at: Instant;
};

/** The contracts of a job to which its list is not applied yet. */
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
