import type { Watch } from '#shared/domain/evaluation/watch.ts';
import type { Job } from '#shared/domain/watchlists/job.ts';
import type { PostedAlert } from './alert-record.ts';

/** A transition of a watch with all that follows from it. */
export type Transition = {
  readonly watch: Watch;
  readonly isRemoved: boolean;
  readonly posted: readonly PostedAlert[];
  /** The jobs of episodes that it begins, and of those that it ends. */
  readonly made: readonly Job[];
  readonly settled: readonly Job[];
};
