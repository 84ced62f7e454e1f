import type { Alert } from '#shared/domain/alerting/alert.ts';
import { episodeName } from '#shared/domain/alerting/episode.ts';
import {
  type Notification,
  notificationId,
  notificationSeverity,
  notificationTitle,
} from '#shared/domain/alerting/notification.ts';
import {
  datedDetails,
  fitted,
  notificationParts,
} from '#shared/domain/alerting/notification-parts.ts';

/** An event for the Events API v2, without the integration key. */
export type PagerDutyEvent = {
  readonly event_action: 'trigger' | 'acknowledge' | 'resolve';
  readonly dedup_key: string;
  readonly payload: {
    readonly summary: string;
    readonly source: string;
    readonly severity: Alert['severity'];
    readonly timestamp?: string;
    readonly component?: string;
    readonly group?: string;
    readonly class?: string;
    readonly custom_details: Readonly<Record<string, string>>;
  };
  readonly links: readonly { readonly href: string; readonly text: string }[];
};

/**
 * Limits in characters (PagerDuty, "Send an Alert Event"). A whole event is far below the limit of
 * 512 KB.
 */
const SUMMARY = 1024;

/**
 * A notification as an event. The alerts of an episode share an incident: alerts that leave the
 * episode open trigger it, the last one resolves it, and an acknowledgement acknowledges it. An
 * alert without an episode opens an incident that a person resolves. All text is plain, and names
 * given by people appear only where they cannot become a link.
 */
export function pagerdutyEvent(notification: Notification): PagerDutyEvent {
  const parts = notificationParts(notification);
  const { why, list, origin, ids } = parts;
  const facts = [...parts.facts, ...datedDetails(parts)].map(
    ({ name, value }) => [name, value] as const,
  );
  const payload = {
    summary: fitted(notificationTitle(notification), SUMMARY),
    severity: notificationSeverity(notification),
    custom_details: {
      ...(why === undefined ? {} : { Why: why }),
      ...Object.fromEntries(facts),
      ...(list.length === 0 ? {} : { Alerts: list.join('\n') }),
      ...(origin.length === 0 ? {} : { From: origin.join('\n') }),
      Id: ids.join('\n'),
    },
  };
  const links = [
    ...parts.links.map(({ host, url }) => ({ href: url, text: host })),
    ...(parts.chart === undefined ? [] : [{ href: parts.chart.url, text: 'Chart' }]),
    ...parts.actions.map(({ label, url }) => ({ href: url, text: label })),
  ];
  if (notification.kind === 'digest') {
    // Unreachable, because this channel gets no digests.
    return {
      event_action: 'trigger',
      dedup_key: notificationId(notification),
      payload: { ...payload, source: 'floorwatch' },
      links,
    };
  }
  const { at, contract, id, metric, rule, watchlist } = notification.alert;
  return {
    event_action: actionOf(notification.alert),
    dedup_key: episodeName(notification.alert) ?? id,
    payload: {
      ...payload,
      source: contract ?? watchlist,
      timestamp: at,
      group: watchlist,
      ...(metric === null ? {} : { component: metric }),
      ...(rule === null ? {} : { class: rule }),
    },
    links,
  };
}

function actionOf({ kind, open }: Alert): PagerDutyEvent['event_action'] {
  if (open === false) return 'resolve';
  return kind === 'acknowledged' ? 'acknowledge' : 'trigger';
}
