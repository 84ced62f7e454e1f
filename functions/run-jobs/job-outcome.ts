import type { Instant } from '#shared/domain/market/instant.ts';
import type { Job } from '#shared/domain/watchlists/job.ts';

/** The result of running a job: done and deleted, not due yet, or due again with these changes. */
export type JobOutcome =
  | 'done'
  | 'unchanged'
  | (Partial<Omit<Job, 'list' | 'target' | 'version'>> & { readonly dueAt: Instant });
