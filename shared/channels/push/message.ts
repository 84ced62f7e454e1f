import { actionLabel, actionLinks } from '#shared/domain/alerting/alert-action.ts';
import { episodeName } from '#shared/domain/alerting/episode.ts';
import {
  type Notification,
  notificationId,
  notificationTone,
} from '#shared/domain/alerting/notification.ts';
import { fitted, partsThatFit } from '#shared/domain/alerting/notification-parts.ts';
import { titleWithin } from '#shared/domain/alerting/title-parts.ts';
import { wakesSomebody } from '#shared/domain/channels/shown-episodes.ts';

/** The arguments with which the service worker of the console calls `showNotification`. */
export type PushMessage = {
  readonly title: string;
  readonly options: {
    readonly body: string;
    /** A notification replaces the one with the same tag. */
    readonly tag: string;
    /** Whether a notification that replaces another one alerts the user again. */
    readonly renotify: boolean;
    readonly silent: boolean;
    readonly image?: string;
    readonly actions: readonly { readonly action: string; readonly title: string }[];
    /** The signed URL of the page of the open episode. `POST …?do=<action>` performs an action. */
    readonly data: { readonly address: string | null };
  };
};

/** Browsers show two buttons at most. */
const BUTTONS: readonly string[] = ['acknowledge', 'snooze-1h'];

/**
 * Limits in characters, each of at most three bytes. Together with its URLs, a message stays within
 * 3993 bytes.
 */
const TITLE = 150;
const BODY = 500;

/** A notification as a push message. All text is plain. */
export function pushMessage(notification: Notification): PushMessage {
  const parts = partsThatFit(notification, (list) => list.length <= BODY);
  const { titleParts, why, list, origin, chart } = parts;
  const facts = parts.facts.map(({ name, value }) => `${name}: ${value}`);
  const rings = ringsOf(notification);
  const { actions: address = null } = notification.kind === 'alert' ? notification : {};
  const links = notification.kind === 'alert' ? actionLinks(notification) : [];
  return {
    title: titleWithin(titleParts, { limit: TITLE, cut: fitted }),
    options: {
      body: fitted(
        [why, ...facts, ...list, ...origin].filter((line) => line !== undefined).join('\n'),
        BODY,
      ),
      tag: tagOf(notification),
      renotify: rings,
      silent: !rings,
      ...(chart && { image: chart.url }),
      actions: links
        .filter(({ action }) => BUTTONS.includes(action))
        .map(({ action }) => ({ action, title: actionLabel(action) })),
      data: { address },
    },
  };
}

/**
 * Whether the device alerts the user. Less important later alerts of an episode replace its
 * notification silently.
 */
function ringsOf(notification: Notification): boolean {
  if (notification.kind === 'digest') return notificationTone(notification) !== 'resolved';
  return wakesSomebody(notification.alert);
}

function tagOf(notification: Notification): string {
  const episode = notification.kind === 'alert' ? episodeName(notification.alert) : undefined;
  return episode ?? notificationId(notification);
}
