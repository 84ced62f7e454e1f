import { beganAt, endsEpisode } from '#shared/domain/alerting/episode.ts';
import { type AlertRecord, alertPath } from '#shared/domain/channels/alert-record.ts';
import { formatInstant } from '#shared/domain/market/instant.ts';
import type { EpisodeRead, TimelineEntry } from './answers/alerts.ts';
import type { Episode } from './find-episodes.ts';
import { acknowledgementView, deliveriesView, type Link, muteView } from './views.ts';

export function episodeView(link: Link, episode: Episode): EpisodeRead {
  const { alerts, isOpen, isWhole, acknowledgement, mutes } = episode;
  const [{ alert: first }] = alerts;
  // Acknowledgements and escalations are excluded, because they repeat an earlier alert and may
  // follow the end of the episode.
  const news = alerts
    .map(({ alert }) => alert)
    .filter(({ kind }) => kind !== 'acknowledged' && kind !== 'escalated');
  const last = news.at(-1) ?? first;
  const end = endsEpisode(last) ? last : undefined;
  return {
    self: link(`${alertPath(first)}/episode`),
    watchlist: first.watchlist,
    rule: first.rule,
    label: last.label,
    contract: first.contract,
    name: last.name,
    metric: first.metric,
    when: first.when,
    threshold: first.threshold,
    unit: first.unit,
    severity: last.severity,
    state: isOpen ? 'open' : 'over',
    firedAt: formatInstant(beganAt(first)),
    endedAt: end?.dataTime ?? null,
    duration: last.duration,
    value: last.value,
    extreme: last.extreme,
    title: last.title,
    acknowledged: acknowledgementView(acknowledgement),
    mutes: mutes.map(muteView),
    timeline: alerts.map((record) => entryView(link, record)),
    complete: isWhole,
  };
}

function entryView(link: Link, record: AlertRecord): TimelineEntry {
  const { kind, at, dataTime, value, title } = record.alert;
  return {
    kind,
    at,
    dataTime,
    value,
    title,
    alert: link(alertPath(record.alert)),
    ...deliveriesView(record),
  };
}
