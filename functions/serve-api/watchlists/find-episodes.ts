import type { Acknowledgement } from '#shared/domain/alerting/acknowledgement.ts';
import { isOfEpisode } from '#shared/domain/alerting/acknowledgement.ts';
import { type Alert, alertId } from '#shared/domain/alerting/alert.ts';
import { BEGINNINGS, beganAt, endsEpisode, episodeKey } from '#shared/domain/alerting/episode.ts';
import type { AlertRecord } from '#shared/domain/channels/alert-record.ts';
import { isEpisodeOpen, noDataWatchName, type Watch } from '#shared/domain/evaluation/watch.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { formatInstant, HOUR } from '#shared/domain/market/instant.ts';
import { StoredMetric, seriesOfMetric } from '#shared/domain/metrics/metric.ts';
import type { Unreadable } from '#shared/domain/unreadable.ts';
import { coveringMutes, type Mute } from '#shared/domain/watchlists/mute.ts';
import { muteSubject } from '#shared/domain/watchlists/muted-watch.ts';
import type { WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import type { CallerTenant, Own } from '#shared/http/caller.ts';
import { type FilledPage, fillPage } from '#shared/use-cases/fill-page.ts';
import { tryRead } from '#shared/use-cases/try-read.ts';
import { type AlertFilter, isAskedFor, placeOfRecord, readAlerts } from './find-alerts.ts';
import type { ManageWatchlistsPorts } from './ports.ts';

/** One episode, with its alerts from the first to the last. */
export type Episode = {
  readonly alerts: readonly [AlertRecord, ...AlertRecord[]];
  readonly isOpen: boolean;
  /** Whether `alerts` is complete. */
  readonly isWhole: boolean;
  readonly acknowledgement: Acknowledgement | undefined;
  /** The mutes that hold the next alerts of the episode. */
  readonly mutes: readonly Mute[];
};

type EpisodeFilter = Omit<AlertFilter, 'kind'> & {
  readonly state?: 'open' | 'over' | undefined;
};

/** A page of the episodes of lists; the episode that started last comes first. */
export async function findEpisodes(
  ports: ManageWatchlistsPorts,
  lists: readonly Own<WatchlistId>[],
  { state, ...filter }: EpisodeFilter,
  asked: { readonly limit: number; readonly after: string | undefined },
): Promise<Omit<FilledPage<AlertRecord>, 'entries'> & { readonly episodes: readonly Episode[] }> {
  const [{ tenant } = { tenant: undefined }] = lists;
  const found = new Map<AlertRecord, Episode>();
  const unreadable: Unreadable[] = [];
  const read = tenant && createEpisodeReader(ports, tenant, (one) => unreadable.push(one));
  const begins = async (record: AlertRecord): Promise<boolean> => {
    const isCandidate = BEGINNINGS.includes(record.alert.kind) && isAskedFor(record, filter);
    if (!isCandidate || read === undefined) return false;
    const episode = await read(record);
    const isFirst = episode?.alerts[0].alert.id === record.alert.id;
    if (episode === undefined || !isFirst) return false;
    found.set(record, episode);
    return state === undefined || episode.isOpen === (state === 'open');
  };
  const page = await fillPage(
    (limit, after) => readAlerts(ports, lists, filter, { limit, after }),
    async (records) => {
      const kept = await Promise.all(records.map(begins));
      return records.filter((_record, index) => kept[index]);
    },
    { ...asked, placeOf: placeOfRecord },
  );
  const episodes = page.entries.flatMap((record) => found.get(record) ?? []);
  return { ...page, episodes, unreadable: [...page.unreadable, ...unreadable] };
}

/**
 * Creates a function that reads the episode of an alert. It returns undefined for an alert without
 * an episode.
 */
export function createEpisodeReader(
  ports: ManageWatchlistsPorts,
  tenant: CallerTenant,
  leaveOut: (unreadable: Unreadable) => void,
) {
  const acknowledgements = new Map<string, ReturnType<typeof ports.acknowledgementsOf>>();
  const acknowledgementsIn = (id: string) => {
    const known = acknowledgements.get(id) ?? ports.acknowledgementsOf({ tenant, id });
    acknowledgements.set(id, known);
    return known;
  };
  const mutes = new Map<string, ReturnType<typeof ports.getMutes>>();
  const mutesOn = async (watch: Watch) => {
    const { list } = watch;
    const known = mutes.get(list) ?? ports.getMutes({ tenant, id: list });
    mutes.set(list, known);
    return coveringMutes((await known).mutes, muteSubject(watch), ports.now());
  };
  return async (record: AlertRecord): Promise<Episode | undefined> => {
    const { alert } = record;
    const key = episodeKey(alert);
    if (key === undefined) return undefined;
    const [{ alerts, isWhole }, watch, { entries }] = await Promise.all([
      readAlertsOfEpisode(ports, tenant, alert, key),
      tryRead({ kind: 'watch', id: `${alert.contract}/${alert.rule}` }, () =>
        watchOf(ports, tenant, alert),
      ),
      acknowledgementsIn(alert.watchlist),
    ]);
    if (watch.unreadable) leaveOut(watch.unreadable);
    const isOver = alerts.some((one) => endsEpisode(one.alert));
    const [first = record, ...others] = alerts;
    const isOpen = !isOver && watch.found !== undefined && isOpenEpisode(watch.found, alert);
    return {
      ...{ alerts: [first, ...others], isOpen, isWhole },
      mutes: isOpen && watch.found !== undefined ? await mutesOn(watch.found) : [],
      acknowledgement: entries.find((one) => isOfEpisode(alert, one)),
    };
  };
}

/** Sizes of the first, second and third read of a list's alerts. Most episodes have few alerts. */
const READS = [25, 100, 100] as const;
/** Maximum time by which a provider's clock is ahead of ours. */
const AHEAD = HOUR;

async function readAlertsOfEpisode(
  ports: ManageWatchlistsPorts,
  tenant: CallerTenant,
  alert: Alert,
  key: string,
): Promise<Pick<Episode, 'isWhole'> & { readonly alerts: readonly AlertRecord[] }> {
  const list = { tenant, id: alert.watchlist };
  const from = formatInstant(beganAt(alert) - AHEAD);
  const alerts: AlertRecord[] = [];
  let after: string | undefined;
  for (const limit of READS) {
    const page = await ports.alertsOf(list, { from, to: '9999', limit, after, ascending: true });
    alerts.push(...page.entries.filter((one) => episodeKey(one.alert) === key));
    const isEnd = page.next === undefined || alerts.some((one) => endsEpisode(one.alert));
    if (isEnd) return { alerts, isWhole: true };
    after = page.next;
  }
  return { alerts, isWhole: false };
}

/** The watch that created an alert: the watch of its rule, or a no-data watch. */
async function watchOf(
  ports: ManageWatchlistsPorts,
  tenant: CallerTenant,
  alert: Alert,
): Promise<Watch | undefined> {
  const { watchlist: list, rule, generation } = alert;
  const contract = ContractKey.safeParse(alert.contract);
  const metric = StoredMetric.safeParse(alert.metric);
  if (rule === null || generation === null || !contract.success || !metric.success) {
    return undefined;
  }
  const names = [
    rule,
    ...seriesOfMetric(metric.data).map((series) => noDataWatchName(rule, series)),
  ];
  const ids = names.map((name) => ({ tenant, list, rule: name, contract: contract.data }));
  const id = ids.find((one) => alert.id.startsWith(alertId(one, generation, '')));
  return id === undefined ? undefined : await ports.getWatch(id);
}

function isOpenEpisode(watch: Watch, { generation, episode }: Alert): boolean {
  const isOfIt = watch.generation === generation && watch.episode === episode;
  return isOfIt && (isEpisodeOpen(watch) || watch.noValueSince !== undefined);
}
