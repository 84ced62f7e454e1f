import { isDeepStrictEqual } from 'node:util';
import { keepChannels } from '#shared/channels/keep-channels.ts';
import type { Actor } from '#shared/domain/access/actor.ts';
import type { KeyedRequest } from '#shared/domain/access/keyed-request.ts';
import { REQUEST_UNITS } from '#shared/domain/access/request-units.ts';
import type { Holdings } from '#shared/domain/market/wallet.ts';
import { metricsOf } from '#shared/domain/watchlists/count-watches.ts';
import { missingHoldings } from '#shared/domain/watchlists/missing-holdings.ts';
import { RefusedMembersError } from '#shared/domain/watchlists/refused-members.ts';
import { unreportedMetrics } from '#shared/domain/watchlists/unreported-metrics.ts';
import { withHoldings } from '#shared/domain/watchlists/wallet-members.ts';
import {
  affectedContracts,
  revise,
  tombstoneOf,
  type Watchlist,
  type WatchlistId,
} from '#shared/domain/watchlists/watchlist.ts';
import type { WatchlistBody } from '#shared/domain/watchlists/watchlist-body.ts';
import type { CallerTenant, Own } from '#shared/http/caller.ts';
import { expectContactPoints } from '#shared/use-cases/expect-contact-points.ts';
import { contractsLeftTo } from '#shared/use-cases/keep-quota-usage.ts';
import { type Keep, writeWatchlist } from '#shared/use-cases/write-watchlist.ts';

import { takeNewAddresses } from './new-addresses.ts';
import type { ManageWatchlistsPorts } from './ports.ts';

/**
 * Writes the next revision of a list, and the jobs that apply it. A revision with unchanged content
 * is not written, so a request may be repeated.
 */
export async function replaceWatchlist(
  ports: ManageWatchlistsPorts,
  by: Actor,
  before: Watchlist | undefined,
  after: Own<Watchlist>,
  keep?: Keep<CallerTenant>,
): Promise<Own<Watchlist>> {
  const { tenant } = after;
  if (before !== undefined && saysTheSame(before, after)) return { ...before, tenant };
  await takeNewAddresses(ports, before, after);
  return await charged(ports, before, await writeWatchlist(ports, by, before, after, keep));
}

/**
 * Changes a list and composes the answer. The answer is composed before the change commits, so that
 * one transaction writes both. If nothing changes, nothing is written, and the answer is composed
 * afterwards.
 */
export async function answeredWith<Answer>(
  { keep }: { readonly keep: (answer: Answer) => KeyedRequest | undefined },
  write: (keep: Keep<CallerTenant>) => Promise<Own<Watchlist>>,
  compose: (list: Own<Watchlist>, pendingChanges?: number) => Promise<Answer>,
): Promise<Answer> {
  let answered: Answer | undefined;
  const list = await write(async (written, pendingChanges) => {
    answered = await compose(written, pendingChanges);
    return keep(answered);
  });
  return answered ?? (await compose(list));
}

/** The list in a request, with the holdings of its wallet if they were read. */
export type WrittenList = WatchlistBody & { readonly holdings?: Holdings | undefined };

/** Builds the next revision of a list from a request body, without writing it. */
export async function nextRevision(
  ports: ManageWatchlistsPorts,
  id: Own<WatchlistId>,
  before: Watchlist | undefined,
  body: WrittenList,
): Promise<Own<Watchlist>> {
  const existing = before?.deleted ? undefined : before;
  expectToFire(ports, existing, body);
  await expectContactPoints(ports, id.tenant, body.channels);
  const channels = await keepChannels(body.channels, existing, {
    webhooks: ports.webhooks,
    seal: (channel, secret, known) =>
      ports.sealSecret({ tenant: id.tenant, list: id.id, channel }, secret, known),
  });
  const list = { ...revise(id, before, body, channels), tenant: id.tenant };
  const { wallet } = list;
  if (wallet === undefined || body.holdings === undefined) return list;
  const most = await contractsLeftTo(ports, list);
  return { ...withHoldings({ ...list, wallet }, body.holdings, most), tenant: id.tenant };
}

/**
 * Rejects new rules that can never fire, because the provider does not report the price series, or
 * the list has no matching cost or tokens.
 */
function expectToFire(
  { provider }: ManageWatchlistsPorts,
  before: Watchlist | undefined,
  list: WrittenList,
): void {
  const issues = list.rules.flatMap((rule, index) => {
    const known = before?.rules.find(({ id }) => id === rule.id);
    const isKnown = known !== undefined && isDeepStrictEqual(metricsOf(known), metricsOf(rule));
    if (isKnown) return [];
    const wrong = [...unreportedMetrics(rule, provider), ...missingHoldings(rule, list)];
    return wrong.map(({ path, message }) => ({
      path: ['rules', index, ...path],
      message,
    }));
  });
  if (issues.length > 0) throw new RefusedMembersError(issues);
}

/** Replaces a list by a tombstone, and writes the jobs that remove its watches. */
export async function deleteWatchlist(
  ports: ManageWatchlistsPorts,
  by: Actor,
  before: Own<Watchlist>,
): Promise<void> {
  const tombstone = { ...tombstoneOf(before, ports.now()), tenant: before.tenant };
  await charged(ports, before, await writeWatchlist(ports, by, before, tombstone));
}

/** Charges the units of a committed change, by the number of affected contracts. */
async function charged(
  ports: ManageWatchlistsPorts,
  before: Watchlist | undefined,
  made: Own<Watchlist>,
): Promise<Own<Watchlist>> {
  const contracts = affectedContracts(before, made).length;
  await ports.charge(made.tenant, contracts * REQUEST_UNITS.api.affectedContract);
  return made;
}

/** Whether two revisions have the same content. */
function saysTheSame(before: Watchlist, after: Watchlist): boolean {
  const said = ({ change: _change, revision: _revision, ...list }: Watchlist) => list;
  return isDeepStrictEqual(said(before), said(after));
}
