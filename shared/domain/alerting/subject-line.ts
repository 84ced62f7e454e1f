import { RESOLVED, shortContract } from './alert-words.ts';
import { inert } from './inert-text.ts';
import { type Notification, notificationTitle, notificationTone } from './notification.ts';

/** SNS takes printable ASCII, at most so many characters. */
const LIMIT = 100;

/**
 * The subject of an email. If it is too long, the longest name is cut and the facts stay; a label
 * that has no ASCII form is replaced by the rule's id, a name by the contract.
 */
export function subjectLine(notification: Notification): string {
  const names = namesIn(notification);
  const title = names.reduce(
    (text, { written, ascii }) => text.replace(written, () => ascii),
    notificationTitle(notification),
  );
  const subject = withMark(notification, asciiOf(title));
  const [longest] = names.map(({ ascii }) => ascii).toSorted((a, b) => b.length - a.length);
  const over = subject.length - LIMIT;
  if (over <= 0 || longest === undefined) return cut(subject, LIMIT);
  const shorter = cut(longest, Math.max(0, longest.length - over));
  return cut(
    subject.replace(longest, () => shorter),
    LIMIT,
  );
}

/** The mark of what is urgent and of good news; nothing that a person named can begin like it. */
function withMark(notification: Notification, title: string): string {
  const tone = notificationTone(notification);
  if (tone === 'critical') return `[critical] ${title}`;
  if (tone !== 'resolved') return title;
  return `[resolved] ${title.startsWith(RESOLVED) ? title.slice(RESOLVED.length) : title}`;
}

/** What people named in a title, and in the form that is sent. */
function namesIn(notification: Notification) {
  if (notification.kind === 'digest') return [];
  const { label, name, rule, contract } = notification.alert;
  return [
    ...(label === null ? [] : [nameOf(label, rule)]),
    ...(name === null ? [] : [nameOf(name, shortContract(contract))]),
  ];
}

/** Defanged in the form that is sent: what is left of a name may look like an address only there. */
function nameOf(name: string, otherwise: string | null | undefined) {
  const ascii = inert(asciiOf(name));
  const isReadable = /[a-z0-9]/i.test(ascii);
  return { written: inert(name), ascii: isReadable ? ascii : asciiOf(otherwise ?? 'floorwatch') };
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
