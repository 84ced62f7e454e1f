import type { Watch } from '#shared/domain/evaluation/watch.ts';
import type { Job } from '#shared/domain/watchlists/job.ts';
import type { PostedAlert } from './alert-record.ts';

/** A transition of a watch with its alerts and jobs. */
export type Transition = {
  readonly watch: Watch;
  readonly isRemoved: boolean;
  readonly posted: readonly PostedAlert[];
  /** The jobs of started episodes, to be created. */
  readonly made: readonly Job[];
  /** The jobs of ended episodes, to be removed. */
  readonly settled: readonly Job[];
};
