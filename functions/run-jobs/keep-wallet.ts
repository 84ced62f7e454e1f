import { destinationIdsOfList } from '#shared/domain/channels/destination-id.ts';
import { HOUR, type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import type { Holdings } from '#shared/domain/market/wallet.ts';
import { walletActor } from '#shared/domain/watchlists/change.ts';
import type { Job } from '#shared/domain/watchlists/job.ts';
import { membersAlert } from '#shared/domain/watchlists/members-alert.ts';
import { QuotaError } from '#shared/domain/watchlists/quota-usage.ts';
import {
  isBelieved,
  isDoubtful,
  type ListOfWallet,
  walletEdit,
} from '#shared/domain/watchlists/wallet-members.ts';
import type { Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import { contractsLeftTo } from '#shared/use-cases/keep-quota-usage.ts';
import { postAlerts } from '#shared/use-cases/post-alerts.ts';
import type { WalletRead } from '#shared/use-cases/read-wallet.ts';
import { retryingConflicts } from '#shared/use-cases/retrying-conflicts.ts';
import { writeWatchlist } from '#shared/use-cases/write-watchlist.ts';
import type { JobOutcome } from './job-outcome.ts';
import type { RunJobsPorts } from './ports.ts';

/** Attempts, in case of conflicts with edits by people. */
const ATTEMPTS = 20;

/** Milliseconds reserved for writing after the wallet is read. */
const TIME_TO_WRITE = 10 * SECOND;

/**
 * Updates a list with the collections of its wallet, once a day, and reports which collections were
 * added and removed. The list records the last change of its wallet. The job records the last
 * reported change. After an interruption the next run reports the missing change.
 */
export async function keepWallet(ports: RunJobsPorts, job: Job): Promise<JobOutcome> {
  const readAt = ports.now();
  const list = await ports.getWatchlist(job.list);
  if (!isOfWallet(list)) return 'done';
  const { last, isPending } = list.wallet;
  const isInformed = last === undefined || last.revision === job.informedOf;
  // The message may be a duplicate.
  if (isInformed && !isPending && readAt < job.dueAt) return 'unchanged';
  await inform(ports, list, job);
  const { list: kept, ...next } = await keepInStep(ports, list, job);
  if (isOfWallet(kept)) await inform(ports, kept, job);
  return { ...next, informedOf: kept?.wallet?.last?.revision };
}

function isOfWallet(list: Watchlist | undefined): list is ListOfWallet {
  return list?.wallet !== undefined;
}

async function inform(ports: RunJobsPorts, list: ListOfWallet, { informedOf }: Job): Promise<void> {
  const { last } = list.wallet;
  if (last === undefined || last.revision === informedOf) return;
  const alert = membersAlert(list, list.wallet, last);
  await postAlerts(ports, [alert], destinationIdsOfList(list, alert, ports));
}

/** The time of the next read, and the time of the first of several consecutive doubtful answers. */
type Next = { readonly dueAt: Instant; readonly doubtedSince: Instant | undefined };

async function keepInStep(
  ports: RunJobsPorts,
  list: ListOfWallet,
  job: Job,
): Promise<Next & { readonly list: Watchlist | undefined }> {
  const { tenant, id, wallet } = list;
  const { doubtedSince } = job;
  const read = await readInTime(ports, list);
  const now = ports.now();
  if (read?.kind !== 'ok') {
    const { kind: why = 'no time' } = read ?? {};
    ports.report('wallet_not_read', { tenant, list: id, wallet: wallet.address, why });
    return { list, dueAt: retryAt(read, now), doubtedSince };
  }
  const { holdings } = read;
  const since = isDoubtful(list, holdings) ? (doubtedSince ?? now) : undefined;
  if (since !== undefined && !isBelieved(holdings, since, now)) {
    return { list, dueAt: now + HOUR, doubtedSince: since };
  }
  try {
    const kept = await follow(ports, list, holdings, job);
    return { list: kept, dueAt: now + ports.readWalletsEvery, doubtedSince: undefined };
  } catch (error) {
    // Another change of the tenant has used up the quota.
    if (!(error instanceof QuotaError)) throw error;
    return { list, dueAt: now + HOUR, doubtedSince: undefined };
  }
}

/** Reads the wallet; undefined if the invocation has too little time left. */
async function readInTime(
  { readWallet, remainingTime }: RunJobsPorts,
  { tenant, wallet }: ListOfWallet,
): Promise<WalletRead | undefined> {
  const time = remainingTime() - TIME_TO_WRITE;
  return time <= 0 ? undefined : await readWallet(tenant, wallet.address, time);
}

function retryAt(read: WalletRead | undefined, now: Instant): Instant {
  if (read === undefined) return now + MINUTE;
  if (read.kind === 'no_capacity') return Math.max(read.until, now + MINUTE);
  return now + HOUR;
}

/**
 * Updates the list with the holdings of its wallet; keeps concurrent edits by people. A stale
 * worker, whose job was already done by another worker, writes nothing.
 */
async function follow(
  ports: RunJobsPorts,
  { tenant, id, wallet }: ListOfWallet,
  holdings: Holdings,
  job: Job,
): Promise<Watchlist | undefined> {
  return await retryingConflicts(async () => {
    const list = await ports.getWatchlist({ tenant, id });
    if (!isOfWallet(list) || list.wallet.address !== wallet.address) return list;
    const latest = await ports.getJob({ tenant, id }, { kind: 'wallet' });
    if (latest?.version !== job.version) return list;
    const most = await contractsLeftTo(ports, list);
    const after = walletEdit(list, holdings, most, ports.now());
    if (after === undefined) return list;
    return await writeWatchlist(ports, walletActor(wallet.address), list, after);
  }, ATTEMPTS);
}
