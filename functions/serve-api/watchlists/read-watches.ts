import type { Acknowledgement } from '#shared/domain/alerting/acknowledgement.ts';
import { isEpisodeOpen, type Watch } from '#shared/domain/evaluation/watch.ts';
import type { ContractRecord } from '#shared/domain/polling/contract-record.ts';
import { longestMute } from '#shared/domain/watchlists/mute.ts';
import { muteSubject } from '#shared/domain/watchlists/muted-watch.ts';
import type { WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import type { Own } from '#shared/http/caller.ts';
import { readSnapshot } from '#shared/use-cases/read-snapshot.ts';
import type { ManageWatchlistsPorts } from './ports.ts';
import type { ContractView, Silence } from './watch-view.ts';

/**
 * Reads the mutes and acknowledgements of a list. Returns a function that looks them up by watch.
 */
export async function silencesOf(ports: ManageWatchlistsPorts, { tenant, id }: Own<WatchlistId>) {
  const [{ mutes }, { entries: acknowledgements }] = await Promise.all([
    ports.getMutes({ tenant, id }),
    ports.acknowledgementsOf({ tenant, id }),
  ]);
  const now = ports.now();
  return (watch: Watch): Silence => ({
    mute: longestMute(mutes, muteSubject(watch), now),
    acknowledgement: acknowledgements.find((known) => isOfOpenEpisode(known, watch)),
  });
}

function isOfOpenEpisode(acknowledgement: Acknowledgement, watch: Watch): boolean {
  const { rule, contract, generation, episode } = acknowledgement;
  return (
    isEpisodeOpen(watch) &&
    watch.rule === rule &&
    watch.contract === contract &&
    watch.generation === generation &&
    watch.episode === episode
  );
}

/** The state of a contract, with the recorded prices that the watches need. */
export async function contractView(
  ports: ManageWatchlistsPorts,
  record: ContractRecord | undefined,
  watches: readonly Watch[],
): Promise<ContractView> {
  const snapshot = await readSnapshot(ports.recordedSince, record, watches);
  return { record, snapshot, now: ports.now() };
}
