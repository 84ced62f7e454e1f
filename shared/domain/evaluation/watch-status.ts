import { isEpisodeOpen, isGoing, isNoDataWatch, type Watch } from './watch.ts';
import type { WatchHealth } from './watch-health.ts';

/**
 * The statuses of a watch for people, the worst first. Unlike the state of a watch, its status also
 * depends on the health of the data and on acknowledgements.
 */
export const STATUSES = [
  'firing',
  'error',
  'noData',
  'disputed',
  'pending',
  'acknowledged',
  'waiting',
  'ok',
  'expired',
  'off',
] as const;
export type WatchStatus = (typeof STATUSES)[number];

type Circumstances = {
  readonly health: Pick<WatchHealth, 'state'>;
  readonly isAcknowledged: boolean;
};

export function watchStatus(watch: Watch, circumstances: Circumstances): WatchStatus {
  const { health, isAcknowledged } = circumstances;
  if (watch.admin === 'expired') return 'expired';
  if (!isGoing(watch)) return 'off';
  if (isEpisodeOpen(watch)) {
    if (isAcknowledged) return 'acknowledged';
    return isNoDataWatch(watch) ? 'noData' : 'firing';
  }
  if (watch.state === 'pending') return 'pending';
  const unsound = OF_UNSOUND_DATA[health.state];
  return unsound ?? (watch.state === 'unknown' ? 'waiting' : 'ok');
}

const OF_UNSOUND_DATA: Readonly<Partial<Record<WatchHealth['state'], WatchStatus>>> = {
  error: 'error',
  stale: 'noData',
  disputed: 'disputed',
  waiting: 'waiting',
};

/** The worst status; undefined for an empty list. */
export function worstStatus(statuses: readonly WatchStatus[]): WatchStatus | undefined {
  return STATUSES.find((status) => statuses.includes(status));
}
