import { RESOLVED } from './alert-words.ts';
import { inert } from './inert-text.ts';
import { type Notification, notificationTone, titleParts } from './notification.ts';
import { fitted, partsOf } from './notification-parts.ts';
import { type Name, type TitlePart, titleWithin } from './title-parts.ts';

/** Mail programs show so many characters of a subject, phones fewer. */
const SHOWN = 60;
/** SNS takes printable ASCII, at most so many characters. */
const LIMIT = 100;
/** Of our own emails. */
const LONGEST = 150;

/** The subject of an email by SNS. A name that has no ASCII form is replaced by an id. */
export function subjectLine(notification: Notification): string {
  const parts = markedParts(notification).map(
    (part): TitlePart => (typeof part === 'string' ? asciiOf(part) : asciiName(part)),
  );
  return titleWithin(parts, { limit: LIMIT, preferred: SHOWN, cut }).trim();
}

/** The subject of an email of our own. */
export function emailSubject(notification: Notification): string {
  const parts = partsOf(notification).titleParts;
  return titleWithin(parts, { limit: LONGEST, preferred: SHOWN, cut: fitted });
}

/** The title with a mark for critical and for resolved alerts. No name can begin like a mark. */
function markedParts(notification: Notification): readonly TitlePart[] {
  const tone = notificationTone(notification);
  if (tone === 'critical') return ['[critical] ', ...titleParts(notification)];
  if (tone !== 'resolved') return titleParts(notification);
  return ['[resolved] ', ...titleParts(withoutWord(notification))];
}

/** A notification whose title does not say in a word what its mark says. */
function withoutWord(notification: Notification): Notification {
  if (notification.kind === 'digest') return notification;
  const { alert } = notification;
  const { title } = alert;
  if (!title.startsWith(RESOLVED)) return notification;
  return { ...notification, alert: { ...alert, title: title.slice(RESOLVED.length) } };
}

/** Escaped once more in the form that is sent: what is left of a name may look like an address only there. */
function asciiName({ name, otherwise }: Name): Name {
  const ascii = asciiOf(name).trim();
  const isReadable = /[a-z0-9]/i.test(inert(ascii));
  return { name: isReadable ? ascii : asciiOf(otherwise), otherwise };
}

/** Letters and marks that Unicode does not decompose into ASCII. */
const TRANSLITERATED: ReadonlyMap<string, string> = new Map([
  ...([
    ['ß', 'ss'],
    ['æ', 'ae'],
    ['œ', 'oe'],
    ['ø', 'o'],
    ['ł', 'l'],
    ['đ', 'd'],
  ] as const),
  ...([
    ['ð', 'd'],
    ['þ', 'th'],
    ['ı', 'i'],
    ['Æ', 'AE'],
    ['Œ', 'OE'],
    ['Ø', 'O'],
  ] as const),
  ...([
    ['Ł', 'L'],
    ['Đ', 'D'],
    ['Ð', 'D'],
    ['Þ', 'TH'],
    ['ẞ', 'SS'],
  ] as const),
  ...([
    ['−', '-'],
    ['–', '-'],
    ['—', '-'],
    ['‘', "'"],
    ['’', "'"],
    ['“', '"'],
    ['”', '"'],
  ] as const),
]);

function asciiOf(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[^\x20-\x7e]/g, (character) => TRANSLITERATED.get(character) ?? '');
}

function cut(text: string, length: number): string {
  return text.length > length
    ? `${text.slice(0, Math.max(0, length - 3))}...`.slice(0, length)
    : text;
}
