import { MINUTE } from '#shared/domain/market/instant.ts';
import { notApplied } from '#shared/domain/watchlists/job.ts';
import type { WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import { unlessConflict } from '#shared/use-cases/unless-conflict.ts';
import { applyMessages } from '#shared/use-cases/write-watchlist.ts';
import type { RunJobsPorts } from './ports.ts';

/** Milliseconds until the contracts are asked again. */
const PATIENCE = MINUTE;

/** Asks the contracts to which a change of a list is not applied yet to apply it, until all have. */
export async function applyChange(ports: RunJobsPorts, list: WatchlistId): Promise<void> {
  const job = await ports.getJob(list, { kind: 'apply' });
  if (job === undefined) return;
  const contracts = notApplied(job, await ports.appliedTo(list));
  if (contracts.length === 0) return await unlessConflict(() => ports.settleJob(job));
  const dueAt = ports.now() + PATIENCE;
  const next = { ...job, contracts, dueAt, version: ports.newVersion() };
  await unlessConflict(async () => {
    await ports.replaceJob(job, next);
    await ports.sendToContracts(applyMessages(next, contracts));
  });
}
