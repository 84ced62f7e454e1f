import { RESOLVED } from './alert-words.ts';
import { defang } from './defang.ts';
import { type Notification, notificationTone, titleParts } from './notification.ts';
import { fitted, notificationParts } from './notification-parts.ts';
import { type Name, type TitlePart, titleWithin } from './title-parts.ts';

/** Mail programs show about this many characters of a subject, phones fewer. */
const SHOWN = 60;
/** SNS limits subjects to this many printable ASCII characters. */
const LIMIT = 100;
/** The limit for emails sent by SES. */
const LONGEST = 150;

/** The subject of an email sent by SNS. A name without an ASCII form is replaced by an id. */
export function subjectLine(notification: Notification): string {
  const parts = markedParts(notification).map(
    (part): TitlePart => (typeof part === 'string' ? asciiOf(part) : asciiName(part)),
  );
  return titleWithin(parts, { limit: LIMIT, preferred: SHOWN, cut }).trim();
}

/** The subject of an email sent by SES. */
export function emailSubject(notification: Notification): string {
  const parts = notificationParts(notification).titleParts;
  return titleWithin(parts, { limit: LONGEST, preferred: SHOWN, cut: fitted });
}

/**
 * The title with a mark for critical and for resolved alerts. Names cannot imitate a mark, because
 * they are escaped.
 */
function markedParts(notification: Notification): readonly TitlePart[] {
  const tone = notificationTone(notification);
  if (tone === 'critical') return ['[critical] ', ...titleParts(notification)];
  if (tone !== 'resolved') return titleParts(notification);
  return ['[resolved] ', ...titleParts(withoutWord(notification))];
}

/** Removes `Resolved: ` from the title, because the mark `[resolved]` already expresses it. */
function withoutWord(notification: Notification): Notification {
  if (notification.kind === 'digest') return notification;
  const { alert } = notification;
  const { title } = alert;
  if (!title.startsWith(RESOLVED)) return notification;
  return { ...notification, alert: { ...alert, title: title.slice(RESOLVED.length) } };
}

/** Escaped again after the conversion to ASCII, because the result may look like an address. */
function asciiName({ name, otherwise }: Name): Name {
  const ascii = asciiOf(name).trim();
  const isReadable = /[a-z0-9]/i.test(defang(ascii));
  return { name: isReadable ? ascii : asciiOf(otherwise), otherwise };
}

/** Letters and symbols that Unicode does not decompose into ASCII. */
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
