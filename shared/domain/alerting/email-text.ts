import type { Notification } from './notification.ts';
import { datedDetails, partsOf } from './notification-parts.ts';

/**
 * The body of an email, to skim: what happened, why, where to read on and act, and last the details
 * and what programs find it by.
 */
export function emailText(notification: Notification): string {
  const parts = partsOf(notification);
  const { title, why, facts, list, origin, ids, links, actions } = parts;
  const lines = (some: typeof facts) => some.map(({ name, value }) => `${name}: ${value}`);
  const [page] = links;
  // A page that offers the other actions too: four such addresses would be most of the mail.
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
