import { channelInWords } from '#shared/channels/channel.ts';
import { linkActor } from '#shared/domain/access/actor.ts';
import type { Acknowledgement } from '#shared/domain/alerting/acknowledgement.ts';
import type { Alert } from '#shared/domain/alerting/alert.ts';
import type { AlertAction, LinkedAlert } from '#shared/domain/alerting/alert-action.ts';
import { ruleOf, type Watch } from '#shared/domain/evaluation/watch.ts';
import { LIMITS } from '#shared/domain/limits.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { CONTACT_POINTS } from '#shared/domain/watchlists/contact-points.ts';
import { type Mute, mutedUntil, runningMutes } from '#shared/domain/watchlists/mute.ts';
import { snoozeOf, snoozesOf } from '#shared/domain/watchlists/snooze.ts';
import { acknowledgeEpisode, watchInEpisodeOf } from '#shared/use-cases/acknowledge-episode.ts';
import { addMute, liftMute } from '#shared/use-cases/change-mutes.ts';
import type { ActOnAlertPorts } from './ports.ts';

/** How the episode of an alert stands now; `over` where it is not open any more. */
export type Standing =
  | { readonly kind: 'over' }
  | {
      readonly kind: 'open';
      readonly watch: Watch;
      readonly acknowledgement: Acknowledgement | undefined;
      /** The running mutes that links have made of this episode. */
      readonly snoozes: readonly Mute[];
      /** The end of all mutes that cover it, also of those that a key has made. */
      readonly mutedUntil: Instant | undefined;
      /** The time at which it is so. */
      readonly now: Instant;
    };

type Open = Extract<Standing, { kind: 'open' }>;

export async function standingOf(ports: ActOnAlertPorts, alert: Alert): Promise<Standing> {
  const watch = await watchInEpisodeOf(ports, alert);
  if (watch === undefined) return { kind: 'over' };
  const [acknowledgement, { mutes }] = await Promise.all([
    ports.getAcknowledgement(watch),
    ports.getMutes({ tenant: alert.tenant, id: alert.watchlist }),
  ]);
  const now = ports.now();
  const about = {
    ...{ id: ruleOf(watch), contract: watch.contract },
    severity: watch.presentation.severity,
  };
  return {
    ...{ kind: 'open', watch, acknowledgement, now },
    snoozes: snoozesOf(watch, runningMutes(mutes, now)),
    mutedUntil: mutedUntil(mutes, about, now),
  };
}

/** Does what a link says, once; returns whether there was room for it. */
export async function takeAction(
  ports: ActOnAlertPorts,
  linked: LinkedAlert,
  { action, name }: { readonly action: AlertAction; readonly name: string | undefined },
  alert: Alert,
  { watch, acknowledgement, snoozes }: Open,
): Promise<boolean> {
  const by = linkActor(await channelOfLink(ports, linked), name);
  const list = { tenant: linked.tenant, id: linked.watchlist };
  const acknowledge = async (silences?: Acknowledgement['silences']) =>
    await acknowledgeEpisode(ports, by, alert, watch, { silences });
  switch (action) {
    case 'acknowledge':
      await acknowledge();
      return true;
    case 'snooze-until-recovered':
      await acknowledge('worsening');
      return true;
    case 'snooze-1h':
    case 'snooze-4h': {
      const mute = snoozeOf(watch, action, by, ports.now());
      return await addMute(ports, by, list, mute, LIMITS.watchlist.mutes);
    }
    case 'resume':
      for (const { id } of snoozes) await liftMute(ports, by, list, id, ports.now());
      if (acknowledgement?.silences === 'worsening') await acknowledge('reminders');
      return true;
  }
}

/** The channel whose message has a link: of the list, or a contact point of its tenant. */
async function channelOfLink(
  { getWatchlist }: ActOnAlertPorts,
  { tenant, watchlist, channel: id }: LinkedAlert,
) {
  if (id === undefined) return undefined;
  const list = await getWatchlist({ tenant, id: watchlist });
  const isShared = list?.contactPoints.includes(id);
  const owner = isShared ? await getWatchlist({ tenant, id: CONTACT_POINTS }) : list;
  const channel = owner?.channels.find((one) => one.id === id);
  return { id, words: channel && channelInWords(channel) };
}
