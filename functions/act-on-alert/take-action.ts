import { channelInWords } from '#shared/channels/channel.ts';
import { linkActor } from '#shared/domain/access/actor.ts';
import type { Acknowledgement } from '#shared/domain/alerting/acknowledgement.ts';
import type { Alert } from '#shared/domain/alerting/alert.ts';
import {
  type AlertAction,
  type LinkedAlert,
  snoozeChoiceOf,
} from '#shared/domain/alerting/alert-action.ts';
import type { Watch } from '#shared/domain/evaluation/watch.ts';
import { LIMITS } from '#shared/domain/limits.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { CONTACT_POINTS } from '#shared/domain/watchlists/contact-points.ts';
import { longestMute, type Mute, runningMutes } from '#shared/domain/watchlists/mute.ts';
import { muteSubject } from '#shared/domain/watchlists/muted-watch.ts';
import { snoozeOf, snoozesOf } from '#shared/domain/watchlists/snooze.ts';
import type { Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import { acknowledgeEpisode, watchInEpisodeOf } from '#shared/use-cases/acknowledge-episode.ts';
import { addMute, liftMute } from '#shared/use-cases/change-mutes.ts';
import type { ActOnAlertPorts } from './ports.ts';

/** The current state of an alert's episode; `over` if it is no longer open. */
export type EpisodeStatus =
  | { readonly kind: 'over' }
  | {
      readonly kind: 'open';
      readonly watch: Watch;
      readonly acknowledgement: Acknowledgement | undefined;
      /** The active mutes of this episode that were created through links. */
      readonly snoozes: readonly Mute[];
      /**
       * The mute that covers the episode for the longest time; it may have been created with a key.
       */
      readonly mute: Mute | undefined;
      /** The time at which this state was read. */
      readonly now: Instant;
    };

type Open = Extract<EpisodeStatus, { kind: 'open' }>;

export async function episodeStatus(ports: ActOnAlertPorts, alert: Alert): Promise<EpisodeStatus> {
  const watch = await watchInEpisodeOf(ports, alert);
  if (watch === undefined) return { kind: 'over' };
  const [acknowledgement, { mutes }] = await Promise.all([
    ports.getAcknowledgement(watch),
    ports.getMutes({ tenant: alert.tenant, id: alert.watchlist }),
  ]);
  const now = ports.now();
  return {
    ...{ kind: 'open', watch, acknowledgement, now },
    snoozes: snoozesOf(watch, runningMutes(mutes, now)),
    mute: longestMute(mutes, muteSubject(watch), now),
  };
}

/** A press of the button on a link's page. */
type Press = {
  readonly action: AlertAction;
  /** The name that the person entered. */
  readonly name: string | undefined;
  /** The list of the alert; undefined if it was deleted. */
  readonly list: Watchlist | undefined;
  /** The time zone of the list, for "tomorrow". */
  readonly timeZone: string;
};

/** Takes the action of a link, once; returns false if the list has the maximum number of mutes. */
export async function takeAction(
  ports: ActOnAlertPorts,
  linked: LinkedAlert,
  { action, name, list, timeZone }: Press,
  alert: Alert,
  { watch, acknowledgement, snoozes }: Open,
): Promise<boolean> {
  const by = linkActor(await channelOfLink(ports, linked, list), name);
  const id = { tenant: linked.tenant, id: linked.watchlist };
  const acknowledge = async (silences?: Acknowledgement['silences']) =>
    await acknowledgeEpisode(ports, by, alert, watch, { silences });
  const choice = snoozeChoiceOf(action);
  if (choice !== undefined) {
    const mute = snoozeOf(watch, choice, { by, now: ports.now(), timeZone });
    return await addMute(ports, by, id, mute, LIMITS.watchlist.mutes);
  }
  if (action === 'acknowledge') {
    await acknowledge();
    return true;
  }
  for (const snooze of snoozes) await liftMute(ports, by, id, snooze.id, ports.now());
  if (acknowledgement?.silences === 'worsening') await acknowledge('reminders');
  return true;
}

/** The channel whose message contained the link: a channel of the list, or a contact point. */
async function channelOfLink(
  { getWatchlist }: ActOnAlertPorts,
  { tenant, channel: id }: LinkedAlert,
  list: Watchlist | undefined,
) {
  if (id === undefined) return undefined;
  const isShared = list?.contactPoints.includes(id);
  const owner = isShared ? await getWatchlist({ tenant, id: CONTACT_POINTS }) : list;
  const channel = owner?.channels.find((one) => one.id === id);
  return { id, words: channel && channelInWords(channel) };
}
