import { type Alert, alertSortKey } from '#shared/domain/alerting/alert.ts';
import { episodeName } from '#shared/domain/alerting/episode.ts';
import type { HeldBack } from './alert-record.ts';
import type { ChatAnswer } from './chat-answer.ts';

/**
 * The newest message of each open episode of a channel. Later alerts that need not wake anybody
 * edit this message.
 */
export type ShownEpisodes = Readonly<Record<string, ShownEpisode>>;

export type ShownEpisode = {
  /** The id of the message at the service. */
  readonly message: string;
  /** The sort key of the alert that the message shows. */
  readonly news: string;
  /**
   * If the message shows a summary after a mute: the alerts that the mute held. `alerts` has only
   * the first of them.
   */
  readonly heldBack?: HeldBack | undefined;
  /** The sort key of the `acknowledged` alert of the episode. */
  readonly acknowledged?: string | undefined;
};

/**
 * Maximum number of episodes stored per channel. Older episodes are dropped; their later alerts are
 * separate messages.
 */
const MOST = 50;

/**
 * Whether an alert needs a new message even if its episode already has a message, because edits are
 * silent.
 */
export function wakesSomebody({ kind, severity }: Pick<Alert, 'kind' | 'severity'>): boolean {
  if (kind === 'worsened') return severity === 'critical';
  return kind !== 'recovered' && kind !== 'closed' && kind !== 'fresh' && kind !== 'acknowledged';
}

/** The message of an alert's episode. */
export function findShownEpisode(
  shown: ShownEpisodes | undefined,
  alert: Alert,
): ShownEpisode | undefined {
  const episode = episodeName(alert);
  return episode === undefined ? undefined : shown?.[episode];
}

/** The shown episodes after an alert was sent. An episode that has ended is removed. */
export function shownAfter(
  shown: ShownEpisodes | undefined,
  alert: Alert,
  answer: ChatAnswer,
  heldBack?: HeldBack,
): ShownEpisodes | undefined {
  const episode = episodeName(alert);
  if (episode === undefined || answer.kind !== 'sent' || answer.shows === undefined) return shown;
  const { [episode]: before, ...others } = shown ?? {};
  const place = alertSortKey(alert);
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
