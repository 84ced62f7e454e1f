import { RESOLVED, shortContract } from './alert-words.ts';
import { inert } from './inert-text.ts';
import { type Notification, notificationTitle, notificationTone } from './notification.ts';
import { fitted, partsOf } from './notification-parts.ts';

/** Mail programs show so many characters of a subject, phones fewer. */
const SHOWN = 60;
/** As much of a name as tells it from others. */
const TELLING = 20;
/** SNS takes printable ASCII, at most so many characters. */
const LIMIT = 100;
/** Of our own emails. */
const LONGEST = 150;

/**
 * The subject of an email by SNS. A label that has no ASCII form is replaced by the rule's id, a name
 * by the contract.
 */
export function subjectLine(notification: Notification): string {
  const names = namesIn(notification);
  const title = names.reduce(
    (text, { written, ascii }) => text.replace(written, () => ascii),
    notificationTitle(notification),
  );
  const subject = withMark(notification, asciiOf(title));
  return shortened(
    subject,
    names.map(({ ascii }) => ascii),
    { limit: LIMIT, cut },
  );
}

/** The subject of an email of our own. */
export function emailSubject(notification: Notification): string {
  const names = namesIn(notification).map(({ written }) => written);
  return shortened(partsOf(notification).title, names, { limit: LONGEST, cut: fitted });
}

/** What is too long has its longest name cut, and the facts stay. */
function shortened(
  subject: string,
  names: readonly string[],
  { limit, cut: cutTo }: { readonly limit: number; readonly cut: typeof cut },
): string {
  const [longest] = names.toSorted((one, other) => other.length - one.length);
  if (longest === undefined) return cutTo(subject, limit);
  const rest = subject.length - longest.length;
  const left = Math.min(Math.max(SHOWN - rest, TELLING), Math.max(limit - rest, 0));
  return cutTo(
    subject.replace(longest, () => cutTo(longest, left)),
    limit,
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
