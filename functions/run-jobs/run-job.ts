import type { Job, JobId } from '#shared/domain/watchlists/job.ts';
import { unlessConflict } from '#shared/use-cases/unless-conflict.ts';
import { announceExpiry } from './announce-expiry.ts';
import { applyChange } from './apply-change.ts';
import { escalateEpisode } from './escalate-episode.ts';
import type { JobOutcome } from './job-outcome.ts';
import { keepTopic } from './keep-topic.ts';
import { keepWallet } from './keep-wallet.ts';
import { liftMute } from './lift-mute.ts';
import type { RunJobsPorts } from './ports.ts';
import { reportAcknowledgement } from './report-acknowledgement.ts';
import { reportList } from './report-list.ts';

/**
 * Runs a job and stores its outcome. If another worker has replaced the job, the replacement is
 * kept. If a job is immediately due again, it is run again at once.
 */
export async function runJob(ports: RunJobsPorts, { list, target }: JobId): Promise<void> {
  // A message can arrive after its job is done.
  let job = await ports.getJob(list, target);
  while (job !== undefined) {
    const current = job;
    const outcome = await outcomeOf(ports, current);
    if (outcome === 'unchanged') return;
    const next = await unlessConflict(() => store(ports, current, outcome));
    job = next !== undefined && next.dueAt <= ports.now() ? next : undefined;
  }
}

async function store(
  ports: RunJobsPorts,
  job: Job,
  outcome: Exclude<JobOutcome, 'unchanged'>,
): Promise<Job | undefined> {
  if (outcome === 'done') {
    await ports.settleJob(job);
    return undefined;
  }
  const next = { ...job, ...outcome, version: ports.newVersion() };
  await ports.replaceJob(job, next);
  return next;
}

async function outcomeOf(ports: RunJobsPorts, job: Job): Promise<JobOutcome> {
  const { list, target } = job;
  switch (target.kind) {
    case 'apply':
      return await applyChange(ports, job);
    case 'topic':
      return await keepTopic(ports, list);
    case 'expiry':
      return await announceExpiry(ports, list, target);
    case 'mutes':
      return await liftMute(ports, job);
    case 'report':
      return await reportList(ports, job);
    case 'wallet':
      return await keepWallet(ports, job);
    case 'acknowledgement':
      return await reportAcknowledgement(ports, job, target);
    case 'escalation':
      return await escalateEpisode(ports, job, target);
  }
}
