import type { CommittedChange } from '#shared/use-cases/commit-change.ts';
import { writeOfAcknowledgement } from './acknowledgement-store.ts';
import { postingWrites } from './alert-store.ts';
import { writeOfChange, writeOfDocument } from './change-store.ts';
import { writeOfJob } from './job-store.ts';
import { writeOfKeyedRequest } from './keyed-request-store.ts';
import { writeOfMutes } from './mute-store.ts';
import { writeOfQuotaUsage } from './quota-usage-store.ts';
import type { Table, Write } from './table.ts';
import { writeOfWatchlist } from './watchlist-store.ts';

function writeOfApply({ after, before }: NonNullable<CommittedChange<string>['apply']>): Write {
  const { put } = writeOfJob(after);
  return before === 'unreadable' ? { put } : { put, version: before?.version ?? 0 };
}

/**
 * Creates the function that writes a change of a list, its mutes or an episode in one transaction.
 */
export function createChangeCommit(table: Table) {
  return async ({
    entry,
    jobs,
    apply,
    list,
    document,
    quotaUsage,
    mutes,
    acknowledgement,
    posted,
    keyed,
  }: CommittedChange<string>): Promise<void> => {
    const writes: readonly (Write | undefined)[] = [
      list && writeOfWatchlist(list),
      quotaUsage && writeOfQuotaUsage(quotaUsage),
      mutes && writeOfMutes(mutes),
      acknowledgement && writeOfAcknowledgement(acknowledgement.after, acknowledgement.before),
      apply && writeOfApply(apply),
      ...(posted === undefined ? [] : postingWrites(posted)),
      keyed && writeOfKeyedRequest(keyed),
      ...jobs.map(writeOfJob),
      document && writeOfDocument(document),
      writeOfChange(entry),
    ];
    await table.transact(writes.filter((write) => write !== undefined));
  };
}
