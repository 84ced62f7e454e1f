import type { Actor } from '#shared/domain/access/actor.ts';
import { ruleOf } from '#shared/domain/evaluation/watch.ts';
import { LIMITS } from '#shared/domain/limits.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import {
  isUntilRecovered,
  LONGEST_MUTE,
  type Mute,
  MuteBody,
  type MutedEpisode,
  muteEnd,
} from '#shared/domain/watchlists/mute.ts';
import { openEpisodeOf } from '#shared/domain/watchlists/muted-watch.ts';
import { watchedMembers } from '#shared/domain/watchlists/value-member.ts';
import type { Watchlist, WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import { answer } from '#shared/http/answer.ts';
import type { Own } from '#shared/http/caller.ts';
import { expectMatch, revisionHeader } from '#shared/http/entity-tag.ts';
import { existingWatchlist } from '#shared/http/existing-watchlist.ts';
import type { Attempt } from '#shared/http/idempotency.ts';
import { ProblemError } from '#shared/http/problem.ts';
import { type HttpEvent, invalidMembers, linkTo, pathOf } from '#shared/http/request.ts';
import { type Request, route } from '#shared/http/route.ts';
import { addMute, liftMute } from '#shared/use-cases/change-mutes.ts';
import { readRunningMutes } from '#shared/use-cases/running-mutes.ts';
import type { MuteList, MuteRead } from './answers/mutes.ts';
import type { ManageWatchlistsPorts } from './ports.ts';
import { muteView } from './views.ts';

/** The operations on mutes of a list. */
export const muteRoutes = {
  'GET /v1/watchlists/{watchlist}/mutes': route({ scope: 'read', units: 'read' }, listMutes),
  'POST /v1/watchlists/{watchlist}/mutes': route(
    { scope: 'write', units: 'change', body: MuteBody },
    createMute,
  ),
  'GET /v1/watchlists/{watchlist}/mutes/{mute}': route({ scope: 'read', units: 'read' }, getMute),
  'DELETE /v1/watchlists/{watchlist}/mutes/{mute}': route(
    { scope: 'write', units: 'change' },
    deleteMute,
  ),
};

/** Mutes a list, or some of its alerts. */
async function createMute(
  ports: ManageWatchlistsPorts,
  request: Request<unknown, MuteBody>,
  { at, number, keep }: Attempt,
) {
  const list = await existingWatchlist(ports, request);
  const { key } = request.caller;
  const { tenant, id } = list;
  const made = muteOf(list, key, request.body, at, number);
  const mute = isUntilRecovered(request.body)
    ? { ...made, episodes: await openEpisodesOf(ports, list, made) }
    : made;
  const Location = linkTo(request.event, `/v1/watchlists/${list.id}/mutes/${mute.id}`);
  const answered = answer<MuteRead>(201, muteView(mute), { Location });
  const keyed = keep(answered);
  if (!(await addMute(ports, key, { tenant, id }, mute, LIMITS.watchlist.mutes, keyed))) {
    const message = `the watchlist already has ${LIMITS.watchlist.mutes} active mutes, the maximum; end a mute first`;
    throw invalidMembers([{ path: [], message }]);
  }
  return answered;
}

/** The active mutes of a list. */
async function listMutes(ports: ManageWatchlistsPorts, request: Request) {
  const { tenant, id } = await existingWatchlist(ports, request);
  const mutes = await readRunningMutes(ports, { tenant, id }, ports.now());
  return answer<MuteList>(200, { mutes: mutes.map(muteView) });
}

async function getMute(ports: ManageWatchlistsPorts, request: Request) {
  const list = await existingWatchlist(ports, request);
  const mute = await existingMute(ports, request.event, list);
  return answer<MuteRead>(200, muteView(mute), revisionHeader(mute.id));
}

/** Lifts a mute before its end, which immediately releases its held alerts. */
async function deleteMute(ports: ManageWatchlistsPorts, request: Request) {
  const { tenant, id } = await existingWatchlist(ports, request);
  const { event, caller } = request;
  const mute = await existingMute(ports, event, { tenant, id });
  expectMatch(event, 'mute', mute.id);
  if (!(await liftMute(ports, caller.key, { tenant, id }, mute.id, ports.now()))) throw notFound();
  return answer(204);
}

/** The mute in the path. Mutes are immutable, so the id of a mute is its revision. */
async function existingMute(
  ports: ManageWatchlistsPorts,
  event: HttpEvent,
  { tenant, id }: Own<WatchlistId>,
): Promise<Mute> {
  const { mute: muteId } = pathOf(event);
  const running = await readRunningMutes(ports, { tenant, id }, ports.now());
  const mute = running.find((known) => known.id === muteId);
  if (mute === undefined) throw notFound();
  return mute;
}

/**
 * The open episodes of the muted rule on the muted contract, including the episodes of no-data
 * watches.
 */
async function openEpisodesOf(
  ports: ManageWatchlistsPorts,
  { tenant, id: list }: Own<WatchlistId>,
  { rule, contract }: Mute,
): Promise<readonly MutedEpisode[]> {
  if (rule === undefined || contract === undefined) return [];
  const { entries } = await ports.watchesOfList({ tenant, list }, contract);
  const ofRule = entries.filter((watch) => ruleOf(watch) === rule);
  const episodes = ofRule.flatMap((watch) => openEpisodeOf(watch) ?? []);
  if (episodes.length > 0) return episodes;
  const detail = `rule ${rule} has no open episode on ${contract}, so there is no recovery to wait for; mute it for a duration, such as "for": "4h"`;
  throw new ProblemError(detail, { type: 'episode_over' });
}

function notFound(): ProblemError {
  return new ProblemError('there is no active mute with this id', { type: 'not_found' });
}

function muteOf(list: Watchlist, by: Actor, body: MuteBody, now: Instant, number: number): Mute {
  const { rule, contract, severity, reason } = body;
  const until = muteEnd(body, now) ?? now;
  if (until <= now || until > now + LONGEST_MUTE) {
    const message = `expected a time in the future, at most ${LIMITS.mute.days} days ahead`;
    throw invalidMembers([{ path: ['until'], message }]);
  }
  if (rule !== undefined && !list.rules.some(({ id }) => id === rule)) {
    throw invalidMembers([{ path: ['rule'], message: 'expected the id of a rule of this list' }]);
  }
  const members = watchedMembers(list);
  if (contract !== undefined && !members.some((member) => member.contract === contract)) {
    const message = 'expected a contract of this list';
    throw invalidMembers([{ path: ['contract'], message }]);
  }
  const id = `mute-${number.toString(36)}`;
  return { id, by, from: now, until, rule, contract, severity, reason };
}
