import { type Alert, placeOf } from '#shared/domain/alerting/alert.ts';
import { episodeName } from '#shared/domain/alerting/episode.ts';
import type { HeldBack } from './alert-record.ts';
import type { ChatAnswer } from './chat-answer.ts';

/**
 * The newest message of each open episode of a channel. Later news that must wake nobody are written
 * into it.
 */
export type ShownEpisodes = Readonly<Record<string, ShownEpisode>>;

export type ShownEpisode = {
  /** What the service calls the message. */
  readonly message: string;
  /** The place of the alert that it shows. */
  readonly news: string;
  /** What the news stands for if it is a summary after a mute; of its alerts the first. */
  readonly heldBack?: HeldBack | undefined;
  /** The place of the alert that the episode is acknowledged. */
  readonly acknowledged?: string | undefined;
};

/** Of a channel; the later news of episodes begun before are messages of their own. */
const MOST = 50;

/**
 * Whether an alert is a message of its own where its episode is shown already: one that is changed
 * makes no sound.
 */
export function wakesSomebody({ kind, severity }: Pick<Alert, 'kind' | 'severity'>): boolean {
  if (kind === 'worsened') return severity === 'critical';
  return kind !== 'recovered' && kind !== 'closed' && kind !== 'fresh' && kind !== 'acknowledged';
}

/** How the episode of an alert is shown. */
export function shownOf(shown: ShownEpisodes | undefined, alert: Alert): ShownEpisode | undefined {
  const episode = episodeName(alert);
  return episode === undefined ? undefined : shown?.[episode];
}

/** What is shown after an answer to an alert; an episode that is over has no later news. */
export function shownAfter(
  shown: ShownEpisodes | undefined,
  alert: Alert,
  answer: ChatAnswer,
  heldBack?: HeldBack,
): ShownEpisodes | undefined {
  const episode = episodeName(alert);
  if (episode === undefined || answer.kind !== 'sent' || answer.shows === undefined) return shown;
  const { [episode]: before, ...others } = shown ?? {};
  const place = placeOf(alert);
  const isAcknowledgement = alert.kind === 'acknowledged';
  const next = {
    message: answer.shows,
    news: isAcknowledgement ? (before?.news ?? place) : place,
    heldBack: isAcknowledgement ? before?.heldBack : heldBack && shortened(heldBack),
    acknowledged: isAcknowledgement ? place : before?.acknowledged,
  };
  const after = alert.open === false ? others : { ...others, [episode]: next };
  const kept = Object.entries(after).slice(-MOST);
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function shortened({ counts, alerts }: HeldBack): HeldBack {
  return { counts, alerts: alerts.slice(0, 1) };
}
