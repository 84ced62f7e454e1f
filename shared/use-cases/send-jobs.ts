import type { Outgoing } from '#shared/domain/messages/outgoing.ts';
import type { Job, JobId } from '#shared/domain/watchlists/job.ts';

export type SendJobsPorts = {
  readonly sendToLists: (messages: readonly Outgoing<JobId>[]) => Promise<void>;
  readonly report: (event: 'change_not_sent', fields: Readonly<Record<string, unknown>>) => void;
};

/**
 * Sends stored jobs to the function that runs them. `wake-work` repeats jobs, so a failure is only
 * reported.
 */
export async function sendJobs(ports: SendJobsPorts, jobs: readonly Job[]): Promise<void> {
  if (jobs.length === 0) return;
  try {
    await ports.sendToLists(jobs.map(messageOf));
  } catch (error) {
    ports.report('change_not_sent', {
      jobs: jobs.map(({ list, target }) => ({ list, target })),
      error,
    });
  }
}

function messageOf({ list, target, version }: Job): Outgoing<JobId> {
  return { message: { list, target }, deduplication: JSON.stringify([list, target, version]) };
}
