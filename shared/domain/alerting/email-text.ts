import type { Notification } from './notification.ts';
import { datedDetails, notificationParts } from './notification-parts.ts';

/**
 * The plain text of an email, in the order of a reader's interest: what happened, why, links and
 * actions, then details and ids.
 */
export function emailText(notification: Notification): string {
  const parts = notificationParts(notification);
  const { title, why, facts, list, origin, ids, links, actions } = parts;
  const lines = (some: typeof facts) => some.map(({ name, value }) => `${name}: ${value}`);
  const [page] = links;
  // Only the first action is linked, because its page offers the others too, and the URLs are long.
  const [first] = actions;
  const paragraphs = [
    [title, ...(why === undefined ? [] : [why])],
    [...lines(facts), ...list],
    [
      ...(page === undefined ? [] : [page.url]),
      ...(first === undefined ? [] : [`Acknowledge or snooze: ${first.url}`]),
    ],
    lines(datedDetails(parts)),
    [...origin, ...ids],
  ];
  return paragraphs
    .filter((paragraph) => paragraph.length > 0)
    .map((paragraph) => paragraph.join('\n'))
    .join('\n\n');
}
