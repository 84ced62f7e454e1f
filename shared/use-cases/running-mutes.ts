import type { WatchId } from '#shared/domain/evaluation/watch.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import {
  type Mute,
  type MutedEpisode,
  type Mutes,
  runningMutes,
} from '#shared/domain/watchlists/mute.ts';
import { openEpisodeOf } from '#shared/domain/watchlists/muted-watch.ts';
import type { WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import type { OpenEpisodePorts } from './acknowledge-episode.ts';
import type { Of } from './commit-change.ts';
import { tryRead } from './try-read.ts';
import { waitForAll } from './wait-for-all.ts';

export type ReadMutesPorts<Tenant extends string> = OpenEpisodePorts<Tenant> & {
  readonly getMutes: (list: Of<Tenant, WatchlistId>) => Promise<Mutes>;
};

/** The mutes of a list that still hold alerts. */
export async function readRunningMutes<Tenant extends string>(
  ports: ReadMutesPorts<Tenant>,
  list: Of<Tenant, WatchlistId>,
  now: Instant,
): Promise<readonly Mute[]> {
  const { mutes } = await ports.getMutes(list);
  return await withoutRecovered(ports, list, runningMutes(mutes, now));
}

/** Removes ended episodes from mutes, and mutes whose episodes have all ended. */
export async function withoutRecovered<Tenant extends string>(
  ports: OpenEpisodePorts<Tenant>,
  { tenant, id: list }: Of<Tenant, WatchlistId>,
  mutes: readonly Mute[],
): Promise<readonly Mute[]> {
  const running = await waitForAll(
    mutes.map(async (mute): Promise<readonly Mute[]> => {
      const { contract, episodes } = mute;
      if (contract === undefined || episodes === undefined) return [mute];
      const about = { tenant, list, contract };
      const areOpen = await waitForAll(episodes.map((one) => isOpen(ports, about, one)));
      const left = episodes.filter((_one, index) => areOpen[index]);
      return left.length === 0 ? [] : [{ ...mute, episodes: left }];
    }),
  );
  return running.flat();
}

/** Whether a muted episode is open. An episode of an unreadable watch counts as open. */
async function isOpen<Tenant extends string>(
  ports: OpenEpisodePorts<Tenant>,
  about: Of<Tenant, Omit<WatchId, 'rule'>>,
  { watch: rule, name }: MutedEpisode,
): Promise<boolean> {
  const { found, unreadable } = await tryRead({ kind: 'watch', id: name }, () =>
    ports.getWatch({ ...about, rule }),
  );
  if (unreadable) return true;
  return found !== undefined && openEpisodeOf(found)?.name === name;
}
