import { actOn } from '#console/alerts/act-on-episodes.ts';
import type { Episode } from '#console/alerts/episode.ts';
import { actOnEach, type Report } from '#console/interface/act-on-each.ts';
import { ask, type Outcome } from '#console/interface/ask.ts';
import { count } from '#console/words/amounts.ts';
import type { ActionOnAll } from './entries.ts';

/**
 * The result of an action on all lists or all open episodes. `unread` is the outcome of a failed
 * read, after which no action was sent.
 */
export type ReportOnAll = Report | { readonly unread: Outcome<unknown> };

export async function actOnAll(action: ActionOnAll): Promise<ReportOnAll> {
  if (action === 'acknowledge') {
    const episodes = await readAll(async (cursor) => {
      const query = { state: 'open', limit: '50', ...cursor } as const;
      const outcome = await ask('GET /v1/episodes', { query });
      return outcome.kind === 'answered'
        ? { things: outcome.answer.episodes, cursor: outcome.answer.cursor }
        : outcome;
    });
    if ('kind' in episodes) return { unread: episodes };
    return await actOn(episodes.filter(isFiring), { kind: 'acknowledge' });
  }
  const lists = await readAll(async (cursor) => {
    const outcome = await ask('GET /v1/watchlists', { query: { limit: '100', ...cursor } });
    return outcome.kind === 'answered'
      ? { things: outcome.answer.watchlists, cursor: outcome.answer.cursor }
      : outcome;
  });
  if ('kind' in lists) return { unread: lists };
  return await actOnEach(
    lists,
    ({ name }) => name,
    ({ id }) => (action === 'mute' ? mute(id) : unmute(id)),
  );
}

/** Whether an episode is open and not acknowledged. */
export function isFiring({ state, acknowledged }: Episode): boolean {
  return state === 'open' && acknowledged === null;
}

/** The result of an action as text, such as `Muted for 1 h: 3 lists.` */
export function reportedOnAll({ done }: Report, action: ActionOnAll): string {
  if (action === 'acknowledge') return `Acknowledged: ${count(done, 'alert')}.`;
  return `${action === 'mute' ? 'Muted for 1 h' : 'Unmuted'}: ${count(done, 'list')}.`;
}

async function mute(watchlist: string): Promise<Outcome<unknown>> {
  return await ask('POST /v1/watchlists/{watchlist}/mutes', {
    path: { watchlist },
    body: { for: '1h' },
  });
}

/** Ends the mutes of a whole list. Mutes of a rule, a collection or a severity stay. */
async function unmute(watchlist: string): Promise<Outcome<unknown>> {
  const path = { watchlist };
  const known = await ask('GET /v1/watchlists/{watchlist}/mutes', { path });
  if (known.kind !== 'answered') return known;
  const ofWholeList = known.answer.mutes.filter(
    ({ rule, contract, severity }) => rule === null && contract === null && severity === null,
  );
  for (const { id: mute } of ofWholeList) {
    const ended = await ask('DELETE /v1/watchlists/{watchlist}/mutes/{mute}', {
      path: { ...path, mute },
      ifMatch: '*',
    });
    if (ended.kind !== 'answered') return ended;
  }
  return known;
}

type Part<Thing> = { readonly things: readonly Thing[]; readonly cursor: string | null };

/** Reads all pages. If one fails, returns its outcome instead. */
async function readAll<Thing>(
  readPage: (cursor: { cursor?: string }) => Promise<Part<Thing> | Outcome<never>>,
): Promise<readonly Thing[] | Outcome<never>> {
  const all: Thing[] = [];
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const page: Part<Thing> | Outcome<never> = await readPage(
      cursor === undefined ? {} : { cursor },
    );
    if ('kind' in page) return page;
    all.push(...page.things);
    cursor = page.cursor;
  }
  return all;
}
