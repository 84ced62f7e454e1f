import { readDuration } from '#shared/domain/market/duration.ts';
import { type Instant, SECOND } from '#shared/domain/market/instant.ts';
import { type Alert, type AlertKind, watchOf } from './alert.ts';

/**
 * The kinds of alert that begin an episode. If a mute held the first alert, the episode begins with
 * its `summary`.
 */
export const BEGINNINGS: readonly AlertKind[] = ['fired', 'stale', 'summary'];

/** The kinds of alert that end an episode. */
export const ENDINGS: readonly AlertKind[] = ['recovered', 'closed', 'fresh'];

/**
 * Identifies the episode of an alert; undefined for alerts without one. A crossing is an episode of
 * its own.
 */
export function episodeKey(alert: Alert): string | undefined {
  const { id, kind, generation, episode } = alert;
  if (episode !== null) return `${watchOf(alert)}.${generation}.${episode}`;
  return kind === 'fired' ? id : undefined;
}

/**
 * The name of an alert's episode, for services with one message or incident per episode. It
 * consists of the common prefix of the episode's alert ids (watch and generation) and the episode's
 * number. Undefined for alerts without a duration, such as crossings.
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

/** Whether an alert ends its episode. The only alert of a crossing also ends it. */
export function endsEpisode({ kind, episode, open }: Alert): boolean {
  return open === false || (kind === 'fired' && episode === null);
}

/** The data time at which the episode of an alert began. */
export function beganAt(alert: Alert): Instant {
  return Date.parse(alert.dataTime) - episodeDuration(alert);
}

/** The duration of an alert's episode in milliseconds; zero for its first alert. */
export function episodeDuration({ duration }: Pick<Alert, 'duration'>): number {
  const [, seconds] = /^(\d{1,9})s$/.exec(duration ?? '') ?? [];
  return seconds === undefined ? (readDuration(duration ?? '') ?? 0) : Number(seconds) * SECOND;
}
