import { readDuration } from '#shared/domain/market/duration.ts';
import { type Instant, SECOND } from '#shared/domain/market/instant.ts';
import { type Alert, type AlertKind, watchOf } from './alert.ts';

/** An episode begins with one of these; with a summary where a mute has held that back. */
export const BEGINNINGS: readonly AlertKind[] = ['fired', 'stale', 'summary'];

/** An episode ends with one of these. */
export const ENDINGS: readonly AlertKind[] = ['recovered', 'closed', 'fresh'];

/**
 * What all alerts of one episode have in common, and no others; undefined for an alert of none. A
 * crossing is an episode by itself.
 */
export function episodeKey(alert: Alert): string | undefined {
  const { id, kind, generation, episode } = alert;
  if (episode !== null) return `${watchOf(alert)}.${generation}.${episode}`;
  return kind === 'fired' ? id : undefined;
}

/**
 * The name of what an alert opens, goes on with or ends, for services that keep a message or an
 * incident of it: its watch and generation, with which the ids of all its alerts begin, and the number
 * of its episode. Undefined where nothing lasts, as a crossing.
 */
export function episodeName({
  id,
  episode,
  open,
}: Pick<Alert, 'id' | 'episode' | 'open'>): string | undefined {
  return open === null ? undefined : `${id.slice(0, id.lastIndexOf('.'))}.episode-${episode ?? 0}`;
}

/** The generation and the number in an episode's name. */
export function numbersIn(name: string): { readonly generation: number; readonly episode: number } {
  const [, generation, episode] = /\.(\d+)\.episode-(\d+)$/.exec(name) ?? [];
  return { generation: Number(generation), episode: Number(episode) };
}

/** Whether an alert says that its episode is over. A crossing lasts no longer than its alert. */
export function endsEpisode({ kind, episode, open }: Alert): boolean {
  return open === false || (kind === 'fired' && episode === null);
}

/** The data time at which the episode of an alert began. */
export function beganAt(alert: Alert): Instant {
  return Date.parse(alert.dataTime) - lastedOf(alert);
}

/** How long the episode of an alert has lasted, in milliseconds; zero for one that begins. */
export function lastedOf({ duration }: Pick<Alert, 'duration'>): number {
  const [, seconds] = /^(\d{1,9})s$/.exec(duration ?? '') ?? [];
  return seconds === undefined ? (readDuration(duration ?? '') ?? 0) : Number(seconds) * SECOND;
}
