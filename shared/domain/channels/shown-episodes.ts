import type { Alert } from '#shared/domain/alerting/alert.ts';
import { episodeName } from '#shared/domain/alerting/episode.ts';
import type { ChatAnswer } from './chat-answer.ts';

/**
 * The newest message of each open episode of a channel, by what its service calls it. Later news
 * that must wake nobody are written into it.
 */
export type ShownEpisodes = Readonly<Record<string, string>>;

/** Of a channel; the later news of episodes begun before are messages of their own. */
const MOST = 50;

/**
 * Whether an alert is a message of its own where its episode is shown already: one that is changed
 * makes no sound.
 */
export function wakesSomebody({ kind, severity }: Pick<Alert, 'kind' | 'severity'>): boolean {
  if (kind === 'worsened') return severity === 'critical';
  return kind !== 'recovered' && kind !== 'closed' && kind !== 'fresh';
}

/** The message that shows the episode of an alert. */
export function messageOf(shown: ShownEpisodes | undefined, alert: Alert): string | undefined {
  const episode = episodeName(alert);
  return episode === undefined ? undefined : shown?.[episode];
}

/** What is shown after an answer to an alert; an episode that is over has no later news. */
export function shownAfter(
  shown: ShownEpisodes | undefined,
  alert: Alert,
  answer: ChatAnswer,
): ShownEpisodes | undefined {
  const episode = episodeName(alert);
  if (episode === undefined || answer.kind !== 'sent' || answer.shows === undefined) return shown;
  const { [episode]: _, ...others } = shown ?? {};
  const after = alert.open === false ? others : { ...others, [episode]: answer.shows };
  const kept = Object.entries(after).slice(-MOST);
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}
