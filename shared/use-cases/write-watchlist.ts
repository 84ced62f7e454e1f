import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '#shared/domain/access/actor.ts';
import { DAY, type Instant, MINUTE, readInstant } from '#shared/domain/market/instant.ts';
import type { SentContractMessage } from '#shared/domain/messages/contract-message.ts';
import type { ListMessage } from '#shared/domain/messages/list-message.ts';
import type { Outgoing } from '#shared/domain/messages/outgoing.ts';
import { type ChangedDocument, type ChangeKind, editOf } from '#shared/domain/watchlists/change.ts';
import type { ChangeJob, ChangeTarget } from '#shared/domain/watchlists/change-job.ts';
import { isOfContactPoints } from '#shared/domain/watchlists/contact-points.ts';
import { wholeDocumentOf } from '#shared/domain/watchlists/list-document.ts';
import { nextReport } from '#shared/domain/watchlists/list-report.ts';
import {
  affectedContracts,
  channelsEndAt,
  type Watchlist,
} from '#shared/domain/watchlists/watchlist.ts';
import { expectContactPoints } from './expect-contact-points.ts';
import { type QuotaPorts, releaseQuota, reserveQuota } from './keep-quota-usage.ts';
import { changeNow, type Of, type RecordChangePorts, recordChange } from './record-change.ts';

export type WriteWatchlistPorts<Tenant extends string> = Omit<QuotaPorts<Tenant>, 'report'> &
  Omit<RecordChangePorts<Tenant>, 'report'> & {
    /** A number that no two change jobs and no two changes share. */
    readonly newVersion: () => number;
    readonly putChangedDocument: (changed: Of<Tenant, ChangedDocument>) => Promise<void>;
    readonly putWatchlist: (list: Of<Tenant, Watchlist>) => Promise<void>;
    readonly putChangeJobs: (...jobs: readonly ChangeJob[]) => Promise<void>;
    readonly sendToContracts: (messages: readonly Outgoing<SentContractMessage>[]) => Promise<void>;
    readonly sendToLists: (messages: readonly Outgoing<ListMessage>[]) => Promise<void>;
    readonly report: (
      event: 'change_not_sent' | 'change_not_committed' | 'quota_usage_not_released',
      fields: Readonly<Record<string, unknown>>,
    ) => void;
  };

/** Milliseconds that the first message has before the dispatcher repeats the job. */
const PATIENCE = MINUTE;

/**
 * Writes a revision of a list within the quota of its tenant, and has it brought into effect.
 * Throws QuotaError if it would exceed a limit.
 */
export async function writeWatchlist<Tenant extends string>(
  ports: WriteWatchlistPorts<Tenant>,
  by: Actor,
  before: Watchlist | undefined,
  after: Of<Tenant, Watchlist>,
): Promise<Of<Tenant, Watchlist>> {
  await reserveQuota(ports, before, after);
  // Those that are deleted meanwhile: a deletion reads what is reserved.
  const known = before?.deleted === false ? before.contactPoints : [];
  if (after.contactPoints.some((name) => !known.includes(name))) {
    await expectContactPoints<Tenant>(ports, after.tenant, after.contactPoints);
  }
  const made = await change(ports, by, before, after);
  await releaseQuota(ports, before, made);
  return made;
}

/**
 * Writes the change jobs and the document that the change makes, then the change itself, then sends the messages that bring it into
 * effect. The dispatcher repeats unfinished work from the jobs, so a message that cannot be sent is
 * no failure of the request.
 */
async function change<Tenant extends string>(
  ports: WriteWatchlistPorts<Tenant>,
  by: Actor,
  before: Watchlist | undefined,
  revised: Of<Tenant, Watchlist>,
): Promise<Of<Tenant, Watchlist>> {
  const entry = changeNow(ports, revised, by, kindOf(before, revised), {
    revision: revised.revision,
    edit: editOf(before, revised),
  });
  const after = { ...revised, change: entry.id };
  const list = { tenant: after.tenant, id: after.id };
  const contracts = affectedContracts(before, after);
  const topicChanges =
    before?.salvagedOn !== undefined || !isDeepStrictEqual(before?.channels ?? [], after.channels);
  const newWallet = after.wallet?.address === before?.wallet?.address ? undefined : after.wallet;
  const createdAt = ports.now();
  const jobFor = (target: ChangeTarget, dueAt: Instant = createdAt + PATIENCE) => ({
    ...{ list, target, revision: after.revision, createdAt, dueAt },
    version: ports.newVersion(),
  });
  await ports.putChangeJobs(
    ...contracts.map((contract) => jobFor({ kind: 'contract', contract })),
    ...(topicChanges ? [jobFor({ kind: 'topic' })] : []),
    ...(channelsEndAt(after) === undefined
      ? []
      : [jobFor({ kind: 'topic' }, channelsEndAt(after))]),
    ...(newWallet === undefined
      ? []
      : [jobFor({ kind: 'wallet' }, createdAt + (newWallet.isPending ? PATIENCE : DAY))]),
    ...reportJobs(before, after, createdAt).map((dueAt) => jobFor({ kind: 'report' }, dueAt)),
    ...newEnds(before, after).map(({ rule, end }) => jobFor({ kind: 'expiry', rule, end }, end)),
  );
  await ports.putChangedDocument({
    ...{ tenant: after.tenant, id: entry.id, at: entry.at, previous: before?.change },
    ...(after.deleted ? {} : { document: wholeDocumentOf(after) }),
  });
  await recordChange(ports, entry, before?.change, () => ports.putWatchlist(after));

  const { tenant, id } = list;
  const named = (what: string) => `${tenant} ${id} ${after.revision} ${what}`;
  try {
    await ports.sendToContracts(
      contracts.map((contract) => ({
        message: { kind: 'apply', contract, tenant, list: id },
        deduplication: named(contract),
      })),
    );
    const kinds = [
      ...(topicChanges ? (['topic'] as const) : []),
      ...(newWallet?.isPending ? (['wallet'] as const) : []),
    ];
    if (kinds.length > 0) {
      await ports.sendToLists(
        kinds.map((kind) => ({
          message: { kind, tenant, list: id },
          deduplication: named(kind),
        })),
      );
    }
  } catch (error) {
    ports.report('change_not_sent', { tenant, list: id, revision: after.revision, error });
  }
  return after;
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
