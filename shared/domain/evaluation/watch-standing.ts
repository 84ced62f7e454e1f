import { isEpisodeOpen, isGoing, isNoDataWatch, type Watch } from './watch.ts';
import type { WatchHealth } from './watch-health.ts';

/**
 * How a watch does, in a word for people, the worst first. Its state is how its evaluation goes; this
 * is what a person has to know of it.
 */
export const STANDINGS = [
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
export type WatchStanding = (typeof STANDINGS)[number];

type Circumstances = {
  readonly health: Pick<WatchHealth, 'state'>;
  readonly isAcknowledged: boolean;
};

export function watchStandingOf(watch: Watch, circumstances: Circumstances): WatchStanding {
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

const OF_UNSOUND_DATA: Readonly<Partial<Record<WatchHealth['state'], WatchStanding>>> = {
  error: 'error',
  stale: 'noData',
  disputed: 'disputed',
  waiting: 'waiting',
};

/** The worst of some; undefined of none. */
export function worstOf(standings: readonly WatchStanding[]): WatchStanding | undefined {
  return STANDINGS.find((standing) => standings.includes(standing));
}
