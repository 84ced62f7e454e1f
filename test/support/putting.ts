import type { Acknowledgement } from '#shared/domain/alerting/acknowledgement.ts';
import type { ChangedDocument } from '#shared/domain/watchlists/change.ts';
import type { Job } from '#shared/domain/watchlists/job.ts';
import type { Mutes } from '#shared/domain/watchlists/mute.ts';
import type { QuotaUsage } from '#shared/domain/watchlists/quota-usage.ts';
import { writeOfAcknowledgement } from '#shared/stores/acknowledgement-store.ts';
import { writeOfDocument } from '#shared/stores/change-store.ts';
import { writeOfJob } from '#shared/stores/job-store.ts';
import { writeOfMutes } from '#shared/stores/mute-store.ts';
import { writeOfQuotaUsage } from '#shared/stores/quota-usage-store.ts';
import type { Table } from '#shared/stores/table.ts';

/** Puts single items into a table that the product writes only together with others. */
export function puttingInto(table: Table) {
  return {
    mutes: async (mutes: Mutes) => await table.transact([writeOfMutes(mutes)]),
    quotaUsage: async (usage: QuotaUsage) => await table.transact([writeOfQuotaUsage(usage)]),
    acknowledgement: async (after: Acknowledgement, before?: Acknowledgement) =>
      await table.transact([writeOfAcknowledgement(after, before)]),
    jobs: async (...jobs: readonly Job[]) => await table.transact(jobs.map(writeOfJob)),
    document: async (document: ChangedDocument) =>
      await table.transact([writeOfDocument(document)]),
  };
}
