import { MINUTE } from '#shared/domain/market/instant.ts';
import { applyMessages } from '#shared/domain/messages/contract-message.ts';
import { type Job, notApplied } from '#shared/domain/watchlists/job.ts';
import type { JobOutcome } from './job-outcome.ts';
import type { RunJobsPorts } from './ports.ts';

/** Milliseconds until the message is sent again to contracts that have not applied the change. */
const RETRY_DELAY = MINUTE;

/** Sends a message to each contract that has not applied the change yet; repeated every minute. */
export async function applyChange(ports: RunJobsPorts, job: Job): Promise<JobOutcome> {
  const contracts = notApplied(job, await ports.appliedTo(job.list));
  if (contracts.length === 0) return 'done';
  await ports.sendToContracts(applyMessages(job.list, contracts, ports.newVersion()));
  return { contracts, dueAt: ports.now() + RETRY_DELAY };
}
