import type { Notification } from './notification.ts';
import { datedFacts, partsOf } from './notification-parts.ts';

/**
 * The body of an email, to skim: title, facts, one line of where to read on, and last what programs
 * find it by.
 */
export function emailText(notification: Notification): string {
  const parts = partsOf(notification);
  const { title, list, origin, ids, links, actions } = parts;
  const facts = datedFacts(parts).map(({ name, value }) => `${name}: ${value}`);
  const [page] = links;
  // A page that offers the other actions too: four such addresses would be most of the mail.
  const [first] = actions;
  const readOn = [...(page === undefined ? [] : [page.url]), ...origin];
  return [
    title,
    [...facts, ...list].join('\n'),
    notification.kind === 'alert' ? readOn.join(' · ') : readOn.join('\n'),
    first === undefined ? '' : `Acknowledge or snooze: ${first.url}`,
    ids.join('\n'),
  ]
    .filter((paragraph) => paragraph !== '')
    .join('\n\n');
}
