import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '#shared/domain/access/actor.ts';
import type { KeyedRequest } from '#shared/domain/access/keyed-request.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { DAY, type Instant, MINUTE, readInstant } from '#shared/domain/market/instant.ts';
import {
  applyMessages,
  type SentContractMessage,
} from '#shared/domain/messages/contract-message.ts';
import type { Outgoing } from '#shared/domain/messages/outgoing.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { type ChangeKind, describeEdit } from '#shared/domain/watchlists/change.ts';
import { isOfContactPoints } from '#shared/domain/watchlists/contact-points.ts';
import type { Job, JobTarget } from '#shared/domain/watchlists/job.ts';
import { wholeDocumentOf } from '#shared/domain/watchlists/list-document.ts';
import { nextReport } from '#shared/domain/watchlists/list-report.ts';
import type { Mutes } from '#shared/domain/watchlists/mute.ts';
import {
  expectUnusedContactPoints,
  type QuotaUsage,
} from '#shared/domain/watchlists/quota-usage.ts';
import {
  affectedContracts,
  channelsEndAt,
  type Watchlist,
  type WatchlistId,
} from '#shared/domain/watchlists/watchlist.ts';
import { mutesRemoved } from './change-mutes.ts';
import { type CommitChangePorts, changeNow, type Of } from './commit-change.ts';
import { expectContactPoints } from './expect-contact-points.ts';
import { type QuotaPorts, withRoomFor } from './keep-quota-usage.ts';
import { type SendJobsPorts, sendJobs } from './send-jobs.ts';
import { tryRead } from './try-read.ts';

export type WriteWatchlistPorts<Tenant extends string> = QuotaPorts<Tenant> &
  CommitChangePorts<Tenant> &
  SendJobsPorts & {
    readonly getWatchlist: (id: Of<Tenant, WatchlistId>) => Promise<Watchlist | undefined>;
    readonly getMutes: (list: Of<Tenant, WatchlistId>) => Promise<Mutes>;
    readonly getJob: (list: Of<Tenant, WatchlistId>, target: JobTarget) => Promise<Job | undefined>;
    readonly sendToContracts: (messages: readonly Outgoing<SentContractMessage>[]) => Promise<void>;
  };

/**
 * The request of a change with its answer. `list` is the written list. `pendingChanges` is the
 * number of contracts to which the change must be applied; undefined if there are none.
 */
export type Keep<Tenant extends string> = (
  list: Of<Tenant, Watchlist>,
  pendingChanges: number | undefined,
) => Promise<KeyedRequest | undefined>;

/** Milliseconds until `wake-work` sends a job again. */
const RETRY_DELAY = MINUTE;

/** Attempts at a change that conflicts with changes of the tenant's other lists. */
const ATTEMPTS = 20;

/** Maximum number of contracts to which the request itself sends messages: one batch. */
const SENT_AT_ONCE = 10;

/**
 * Writes a revision of a list within the quota of its tenant, and starts its application. Throws
 * QuotaError or ContactPointError if the change is not allowed, and VersionConflictError if the
 * stored list is not `before`.
 */
export async function writeWatchlist<Tenant extends string>(
  ports: WriteWatchlistPorts<Tenant>,
  by: Actor,
  before: Watchlist | undefined,
  after: Of<Tenant, Watchlist>,
  keep: Keep<Tenant> = async () => undefined,
): Promise<Of<Tenant, Watchlist>> {
  const { tenant, id } = after;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await change(ports, by, before, after, keep);
    } catch (error) {
      if (!(error instanceof VersionConflictError) || attempt === ATTEMPTS) throw error;
      // The conflict may concern the quota or the job of the contracts. Both are then read again.
      const known = await tryRead({ kind: 'watchlist', id }, () =>
        ports.getWatchlist({ tenant, id }),
      );
      const isRead = known.unreadable === undefined;
      if (isRead && known.found?.revision !== before?.revision) throw error;
    }
  }
}

/**
 * Commits a change, then sends the messages that apply it. `wake-work` repeats unfinished jobs, so
 * the request succeeds even if a message cannot be sent.
 */
async function change<Tenant extends string>(
  ports: WriteWatchlistPorts<Tenant>,
  by: Actor,
  before: Watchlist | undefined,
  revised: Of<Tenant, Watchlist>,
  keep: Keep<Tenant>,
): Promise<Of<Tenant, Watchlist>> {
  const entry = changeNow(ports, revised, by, kindOf(before, revised), {
    revision: revised.revision,
    edit: describeEdit(before, revised),
  });
  const after = { ...revised, change: entry.id };
  const { tenant, id } = after;
  const quotaUsage = await quotaUsageWith(ports, before, after);
  const removed = after.deleted
    ? mutesRemoved(ports, await ports.getMutes({ tenant, id }))
    : undefined;
  const { apply, ...jobs } = await jobsOf(ports, before, after);
  await ports.commitChange({
    ...{ entry, list: after, quotaUsage, mutes: removed?.mutes, apply },
    keyed: await keep(after, apply?.after.contracts.length),
    document: {
      ...{ tenant, id: entry.id, at: entry.at, previous: before?.change },
      ...(after.deleted ? {} : { document: wholeDocumentOf(after) }),
    },
    jobs: [...jobs.others, ...(removed === undefined ? [] : [removed.job])],
  });
  await send(ports, apply?.after, jobs.others);
  return after;
}

/**
 * The tenant's quota usage after a change; undefined if it is unchanged. The usage is always
 * written when a list starts to use a contact point and when a contact point is deleted, so that
 * two such concurrent changes conflict and the second one is checked again.
 */
async function quotaUsageWith<Tenant extends string>(
  ports: WriteWatchlistPorts<Tenant>,
  before: Watchlist | undefined,
  after: Of<Tenant, Watchlist>,
): Promise<QuotaUsage | undefined> {
  if (!isOfContactPoints(after)) {
    const quotaUsage = await withRoomFor(ports, after);
    // Checked after the quota usage was read, so that a later deletion of a contact point conflicts
    // with that version of the usage.
    const known = before?.deleted === false ? before.contactPoints : [];
    if (after.contactPoints.some((name) => !known.includes(name))) {
      await expectContactPoints<Tenant>(ports, after.tenant, after.contactPoints);
    }
    return quotaUsage;
  }
  const kept = new Set(after.channels.map((channel) => channel.id));
  const removed = (before?.channels ?? []).flatMap((channel) =>
    kept.has(channel.id) ? [] : channel.id,
  );
  if (removed.length === 0) return undefined;
  const quotaUsage = await ports.getQuotaUsage(after.tenant);
  expectUnusedContactPoints(quotaUsage, removed);
  return quotaUsage;
}

/** The jobs of a change: the job for its contracts (`apply`), and all others. */
async function jobsOf<Tenant extends string>(
  ports: WriteWatchlistPorts<Tenant>,
  before: Watchlist | undefined,
  after: Of<Tenant, Watchlist>,
) {
  const list = { tenant: after.tenant, id: after.id };
  const createdAt = ports.now();
  const jobFor = (target: JobTarget, dueAt: Instant = createdAt + RETRY_DELAY) => ({
    ...{ list, target, revision: after.revision, createdAt, dueAt },
    version: ports.newVersion(),
  });
  const contracts = affectedContracts(before, after);
  const apply =
    contracts.length === 0
      ? undefined
      : await applyJob(ports, jobFor({ kind: 'apply' }), contracts);
  const hasNewChannels =
    before?.salvagedOn !== undefined || !isDeepStrictEqual(before?.channels ?? [], after.channels);
  const topicAt = hasNewChannels ? createdAt + RETRY_DELAY : channelsEndAt(after);
  const newWallet = after.wallet?.address === before?.wallet?.address ? undefined : after.wallet;
  return {
    apply,
    others: [
      ...(topicAt === undefined ? [] : [jobFor({ kind: 'topic' }, topicAt)]),
      ...(newWallet === undefined
        ? []
        : [jobFor({ kind: 'wallet' }, createdAt + (newWallet.isPending ? RETRY_DELAY : DAY))]),
      ...reportJobs(before, after, createdAt).map((dueAt) => jobFor({ kind: 'report' }, dueAt)),
      ...newEnds(before, after).map(({ rule, end }) => jobFor({ kind: 'expiry', rule, end }, end)),
    ],
  };
}

/**
 * The job of the contracts that a change affects. It includes the unfinished contracts of the
 * previous job, because the change may have removed them from the list.
 */
async function applyJob<Tenant extends string>(
  { getJob }: WriteWatchlistPorts<Tenant>,
  job: Job & { readonly list: Of<Tenant, WatchlistId> },
  contracts: readonly ContractKey[],
) {
  const former = await tryRead({ kind: 'watchlist', id: job.list.id }, () =>
    getJob(job.list, job.target),
  );
  const left = former.found?.contracts ?? [];
  const before = former.unreadable === undefined ? former.found : ('unreadable' as const);
  return { before, after: { ...job, contracts: [...new Set([...contracts, ...left])] } };
}

/** Sends the messages for work that can start now. */
async function send<Tenant extends string>(
  ports: WriteWatchlistPorts<Tenant>,
  apply: Job | undefined,
  others: readonly Job[],
): Promise<void> {
  const contracts = apply?.contracts ?? [];
  const areMany = contracts.length > SENT_AT_ONCE;
  if (apply !== undefined && !areMany) {
    try {
      await ports.sendToContracts(applyMessages(apply.list, contracts, apply.version));
    } catch (error) {
      ports.report('change_not_sent', { jobs: [apply.target], list: apply.list, error });
    }
  }
  const now = others.filter(
    ({ target: { kind }, dueAt, createdAt }) =>
      (kind === 'topic' || kind === 'wallet') && dueAt === createdAt + RETRY_DELAY,
  );
  await sendJobs(ports, [...(apply !== undefined && areMany ? [apply] : []), ...now]);
}

/** The time of the first report if a change has set new report times. */
function reportJobs(
  before: Watchlist | undefined,
  { report, timeZone }: Watchlist,
  now: Instant,
): readonly Instant[] {
  const known = before?.deleted === false ? before : undefined;
  const isSame = isDeepStrictEqual([known?.report, known?.timeZone], [report, timeZone]);
  return report === undefined || isSame ? [] : [nextReport(report, timeZone, now)];
}

function kindOf(before: Watchlist | undefined, after: Watchlist): ChangeKind {
  if (isOfContactPoints(after)) return 'contact_points_changed';
  if (after.deleted) return 'watchlist_deleted';
  return before?.deleted === false ? 'watchlist_changed' : 'watchlist_created';
}

/**
 * The rules whose expiry has changed. A change of `enabled` or `severity` also makes the expiry due
 * again, because the alert about it may have waited for a mute that no longer covers the rule.
 */
function newEnds(
  before: Watchlist | undefined,
  after: Watchlist,
): readonly { readonly rule: string; readonly end: Instant }[] {
  return after.rules.flatMap(({ id, expiresAt, enabled, severity }) => {
    const old = before?.rules.find((rule) => rule.id === id);
    const same =
      old?.expiresAt === expiresAt && old?.enabled === enabled && old?.severity === severity;
    const end = expiresAt === undefined ? undefined : readInstant(expiresAt);
    return end === undefined || same ? [] : [{ rule: id, end }];
  });
}
