import { linksTo } from './alert-text.ts';
import { type Notification, notificationText } from './notification.ts';

/**
 * A notification in parts, for channels that show more than text: subject, facts, origin, and links
 * that are built from the contract's address and nothing else.
 */
export type NotificationParts = {
  readonly subject: string;
  readonly details: string;
  readonly footer: string;
  readonly links: readonly Link[];
};

export type Link = { readonly host: string; readonly url: string };

export function partsOf(notification: Notification): NotificationParts {
  const [subject = '', ...rest] = notificationText(notification).split('\n\n');
  const urls = notification.kind === 'alert' ? linksTo(notification.alert.contract) : [];
  const isLink = (line: string) => urls.some((url) => line === `See: ${url}`);
  const footer = (rest.pop() ?? '').split('\n').filter((line) => !isLink(line));
  return {
    subject,
    details: rest.join('\n\n'),
    footer: footer.join('\n'),
    links: urls.map((url) => ({ host: new URL(url).host, url })),
  };
}

/** Its parts with details that fit: of a digest that is too long the oldest alerts are left out, and counted. */
export function partsThatFit(
  notification: Notification,
  fits: (details: string) => boolean,
): NotificationParts {
  const parts = partsOf(notification);
  if (notification.kind === 'alert' || notification.alerts.length === 1) return parts;
  return fits(parts.details)
    ? parts
    : partsThatFit({ ...notification, alerts: notification.alerts.slice(1) }, fits);
}

/**
 * As much of a text as fits, each character in the form in which it is written. Counted in UTF-16,
 * of which a vendor that counts characters counts fewer.
 */
export function fitted(
  text: string,
  limit: number,
  written: (character: string) => string = (character) => character,
): string {
  const whole = [...text].map(written);
  if (whole.join('').length <= limit) return whole.join('');
  let kept = '';
  for (const character of whole) {
    if (kept.length + character.length > limit - 1) break;
    kept += character;
  }
  return `${kept}…`;
}
