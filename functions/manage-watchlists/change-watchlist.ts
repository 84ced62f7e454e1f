import { isDeepStrictEqual } from 'node:util';
import { keepChannels } from '#shared/channels/keep-channels.ts';
import { REQUEST_UNITS } from '#shared/domain/access/request-units.ts';
import { type Instant, MINUTE, readInstant } from '#shared/domain/market/instant.ts';
import { type Actor, type ChangeKind, editOf } from '#shared/domain/watchlists/change.ts';
import type { ChangeTarget } from '#shared/domain/watchlists/change-job.ts';
import {
  affectedContracts,
  channelsEndAt,
  revise,
  tombstoneOf,
  type Watchlist,
  type WatchlistId,
} from '#shared/domain/watchlists/watchlist.ts';
import type { WatchlistBody } from '#shared/domain/watchlists/watchlist-body.ts';
import type { Own } from '#shared/http/caller.ts';
import { removeMutes } from './change-mutes.ts';
import { releaseQuota, reserveQuota } from './keep-quota-usage.ts';
import { takeNewAddresses } from './new-addresses.ts';
import type { ManageWatchlistsPorts } from './ports.ts';
import { changeNow, recordChange } from './record-change.ts';

/** Milliseconds that the first message has before the dispatcher repeats the job. */
const PATIENCE = MINUTE;

/**
 * Writes the next revision of a list and has it brought into effect. A revision with the content
 * that the list already has is not written: a request may be repeated.
 */
export async function replaceWatchlist(
  ports: ManageWatchlistsPorts,
  by: Actor,
  before: Watchlist | undefined,
  after: Own<Watchlist>,
): Promise<Own<Watchlist>> {
  const { tenant, id } = after;
  if (before !== undefined && saysTheSame(before, after)) return { ...before, tenant };
  await takeNewAddresses(ports, before, after);
  await reserveQuota(ports, before, after);
  if (before?.deleted) await removeMutes(ports, { tenant, id });
  const made = await change(ports, by, before, after);
  await releaseQuota(ports, before, made);
  return made;
}

/** Whether a list already has the content of a request body. */
export async function isAsWritten(
  ports: ManageWatchlistsPorts,
  list: Own<Watchlist>,
  body: WatchlistBody,
): Promise<boolean> {
  return saysTheSame(list, await nextRevision(ports, list, list, body));
}

/** The next revision of a list, made of a request body; writes nothing. */
export async function nextRevision(
  ports: ManageWatchlistsPorts,
  id: Own<WatchlistId>,
  before: Watchlist | undefined,
  body: WatchlistBody,
): Promise<Own<Watchlist>> {
  const standing = before?.deleted ? undefined : before;
  const channels = await keepChannels(body.channels, standing, {
    webhooks: ports.webhooks,
    seal: (channel, secret, known) =>
      ports.sealSecret({ tenant: id.tenant, list: id.id, channel }, secret, known),
  });
  return { ...revise(id, before, body, channels), tenant: id.tenant };
}

/** Replaces a list by a tombstone, and has its watches removed. */
export async function deleteWatchlist(
  ports: ManageWatchlistsPorts,
  by: Actor,
  before: Own<Watchlist>,
): Promise<void> {
  const made = await change(ports, by, before, {
    ...tombstoneOf(before, ports.now()),
    tenant: before.tenant,
  });
  await releaseQuota(ports, before, made);
  await removeMutes(ports, { tenant: before.tenant, id: before.id });
}

/**
 * Writes the change jobs, then the change itself, then sends the messages that bring it into
 * effect. The dispatcher repeats unfinished work from the jobs, so a message that cannot be sent is
 * no failure of the request.
 */
async function change(
  ports: ManageWatchlistsPorts,
  by: Actor,
  before: Watchlist | undefined,
  revised: Own<Watchlist>,
): Promise<Own<Watchlist>> {
  const entry = changeNow(ports, revised, by, kindOf(before, revised), {
    revision: revised.revision,
    edit: editOf(before, revised),
  });
  const after = { ...revised, change: entry.id };
  const list = { tenant: after.tenant, id: after.id };
  const contracts = affectedContracts(before, after);
  const topicChanges =
    before?.salvagedOn !== undefined || !isDeepStrictEqual(before?.channels ?? [], after.channels);
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
    ...newEnds(before, after).map(({ rule, end }) => jobFor({ kind: 'expiry', rule, end }, end)),
  );
  await recordChange(ports, entry, before?.change, () => ports.putWatchlist(after));
  await ports.charge(after.tenant, contracts.length * REQUEST_UNITS.api.affectedContract);

  const { tenant, id } = list;
  const named = (what: string) => `${tenant} ${id} ${after.revision} ${what}`;
  try {
    await ports.sendToContracts(
      contracts.map((contract) => ({
        message: { kind: 'apply', contract, tenant, list: id },
        deduplication: named(contract),
      })),
    );
    if (topicChanges) {
      const message = { kind: 'topic' as const, tenant, list: id };
      await ports.sendToLists([{ message, deduplication: named('topic') }]);
    }
  } catch (error) {
    ports.report('change_not_sent', { tenant, list: id, revision: after.revision, error });
  }
  return after;
}

function kindOf(before: Watchlist | undefined, after: Watchlist): ChangeKind {
  if (after.deleted) return 'watchlist_deleted';
  return before?.deleted === false ? 'watchlist_changed' : 'watchlist_created';
}

/** Whether two revisions have the same content. */
function saysTheSame(before: Watchlist, after: Watchlist): boolean {
  const said = ({ change: _change, revision: _revision, ...list }: Watchlist) => list;
  return isDeepStrictEqual(said(before), said(after));
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
