import { MINUTE } from '#shared/domain/market/instant.ts';
import { type Job, notApplied } from '#shared/domain/watchlists/job.ts';
import { applyMessages } from '#shared/use-cases/write-watchlist.ts';
import type { JobOutcome } from './job-outcome.ts';
import type { RunJobsPorts } from './ports.ts';

/** Milliseconds until the missing contracts get the message again. */
const RETRY_DELAY = MINUTE;

/** Sends a message to each contract that has not applied the change yet, and repeats it each minute. */
export async function applyChange(ports: RunJobsPorts, job: Job): Promise<JobOutcome> {
  const contracts = notApplied(job, await ports.appliedTo(job.list));
  if (contracts.length === 0) return 'done';
  await ports.sendToContracts(applyMessages(job, contracts, ports.newVersion()));
  return { contracts, dueAt: ports.now() + RETRY_DELAY };
}
