import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '#shared/domain/access/actor.ts';
import type { KeyedRequest } from '#shared/domain/access/keyed-request.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { DAY, type Instant, MINUTE, readInstant } from '#shared/domain/market/instant.ts';
import type { SentContractMessage } from '#shared/domain/messages/contract-message.ts';
import type { Outgoing } from '#shared/domain/messages/outgoing.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { type ChangeKind, editOf } from '#shared/domain/watchlists/change.ts';
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
import { orUnreadable } from './or-unreadable.ts';
import { type SendJobsPorts, sendJobs } from './send-jobs.ts';

export type WriteWatchlistPorts<Tenant extends string> = QuotaPorts<Tenant> &
  CommitChangePorts<Tenant> &
  SendJobsPorts & {
    readonly getWatchlist: (id: Of<Tenant, WatchlistId>) => Promise<Watchlist | undefined>;
    readonly getMutes: (list: Of<Tenant, WatchlistId>) => Promise<Mutes>;
    readonly getJob: (list: Of<Tenant, WatchlistId>, target: JobTarget) => Promise<Job | undefined>;
    readonly sendToContracts: (messages: readonly Outgoing<SentContractMessage>[]) => Promise<void>;
  };

/**
 * The request that makes a change, with its answer. Gets the list as it is written, and the number of
 * contracts to which the change has to be applied; undefined if it affects none.
 */
export type Keep<Tenant extends string> = (
  list: Of<Tenant, Watchlist>,
  pendingChanges: number | undefined,
) => Promise<KeyedRequest | undefined>;

/** Milliseconds until `wake-work` sends a job again. */
const RETRY_DELAY = MINUTE;

/** Attempts, in case of conflicts with changes of the tenant's other lists. */
const ATTEMPTS = 20;

/** The request itself sends messages to at most so many contracts: one batch. */
const SENT_AT_ONCE = 10;

/**
 * Writes a revision of a list within the quota of its tenant, and has it brought into effect. Throws
 * QuotaError or ContactPointError if it may not be written, VersionConflictError if the list is not
 * `before` any more.
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
      // The conflict may be about the quota or the job of the contracts: then both are read again.
      const known = await orUnreadable({ kind: 'watchlist', id }, () =>
        ports.getWatchlist({ tenant, id }),
      );
      const isRead = known.unreadable === undefined;
      if (isRead && known.found?.revision !== before?.revision) throw error;
    }
  }
}

/**
 * Commits a change, then sends the messages that bring it into effect. `wake-work` repeats
 * unfinished work from the jobs, so a message that cannot be sent is no failure of the request.
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
    edit: editOf(before, revised),
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
 * The quota usage of the tenant after a change; undefined if the change leaves it as it was. A list
 * that begins to use a contact point writes it, and so does the deletion of a contact point: of two
 * such changes at once, the second sees the first.
 */
async function quotaUsageWith<Tenant extends string>(
  ports: WriteWatchlistPorts<Tenant>,
  before: Watchlist | undefined,
  after: Of<Tenant, Watchlist>,
): Promise<QuotaUsage | undefined> {
  if (!isOfContactPoints(after)) {
    const quotaUsage = await withRoomFor(ports, after);
    // Read after the quota: a contact point that is deleted later meets its version.
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

/** The work that follows a change: one job for its contracts, and other jobs. */
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
 * The job of the contracts that a change affects. It also has the contracts that the former job has not
 * finished: the change may have removed them from the list.
 */
async function applyJob<Tenant extends string>(
  { getJob }: WriteWatchlistPorts<Tenant>,
  job: Job & { readonly list: Of<Tenant, WatchlistId> },
  contracts: readonly ContractKey[],
) {
  const former = await orUnreadable({ kind: 'watchlist', id: job.list.id }, () =>
    getJob(job.list, job.target),
  );
  const left = former.found?.contracts ?? [];
  const before = former.unreadable === undefined ? former.found : ('unreadable' as const);
  return { before, after: { ...job, contracts: [...new Set([...contracts, ...left])] } };
}

/** Sends the messages for the work that can be done now. */
async function send<Tenant extends string>(
  ports: WriteWatchlistPorts<Tenant>,
  apply: Job | undefined,
  others: readonly Job[],
): Promise<void> {
  const contracts = apply?.contracts ?? [];
  const areMany = contracts.length > SENT_AT_ONCE;
  if (apply !== undefined && !areMany) {
    try {
      await ports.sendToContracts(applyMessages(apply, contracts, apply.version));
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

/** The messages that apply a list to some contracts of a job, in one of its attempts. */
export function applyMessages(
  { list: { tenant, id: list } }: Job,
  contracts: readonly ContractKey[],
  attempt: number,
): readonly Outgoing<SentContractMessage>[] {
  return contracts.map((contract) => ({
    message: { kind: 'apply', contract, tenant, list },
    deduplication: `${tenant} ${list} ${attempt} ${contract}`,
  }));
}

/** When the first report is due, where a change has given the list other times for it. */
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
 * Rules with a new end. An end is also due again after a change of `enabled` or `severity`: a mute
 * may have held it back that no longer covers the rule.
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
