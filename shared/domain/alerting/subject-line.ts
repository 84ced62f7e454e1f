import type { Alert } from './alert.ts';
import { shortContract, urgency } from './alert-text.ts';
import { inert } from './inert-text.ts';
import { type Notification, notificationSubject } from './notification.ts';

/** SNS takes printable ASCII, at most so many characters. */
const LIMIT = 100;

/**
 * The subject of an email. If it is too long, the name is cut and the facts stay; a name that has no
 * ASCII form is replaced by the contract.
 */
export function subjectLine(notification: Notification): string {
  const subject = notificationSubject(notification);
  if (notification.kind === 'digest' || notification.alert.name === null)
    return cut(asciiOf(subject), LIMIT);
  const { alert } = notification;
  const mark = urgency(alert);
  const called = `${mark}${inert(alert.name ?? '')}: `;
  if (!subject.startsWith(called)) return cut(asciiOf(subject), LIMIT);
  const news = `: ${asciiOf(subject.slice(called.length))}`;
  const name = cut(asciiName(alert), Math.max(0, LIMIT - mark.length - news.length));
  return cut(`${mark}${name}${news}`, LIMIT);
}

/** Defanged in the form that is sent: what is left of a name may look like an address only there. */
function asciiName({ name, contract }: Alert): string {
  const ascii = inert(asciiOf(name ?? ''));
  return /[a-z0-9]/i.test(ascii) ? ascii : asciiOf(shortContract(contract) ?? 'floorwatch');
}

function asciiOf(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll('−', '-')
    .replace(/[^\x20-\x7e]/g, '')
    .trim();
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, Math.max(0, length - 3))}...` : text;
}
