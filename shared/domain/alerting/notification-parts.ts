import type { Instant } from '#shared/domain/market/instant.ts';
import { momentInWords } from '#shared/domain/market/local-time.ts';
import { Identifier } from '#shared/domain/words.ts';
import type { Alert, Fact } from './alert.ts';
import { actionLabel, actionLinks } from './alert-action.ts';
import { factIn, linksTo } from './alert-words.ts';
import {
  type Digest,
  type Notification,
  notificationTone,
  type Tone,
  titleParts,
} from './notification.ts';
import { sortedFacts } from './sorted-facts.ts';
import { type TitlePart, titleText } from './title-parts.ts';

/**
 * The parts of a notification, from which each kind of channel builds its message. Links are built
 * from the contract's address and from signed tokens.
 */
export type NotificationParts = {
  /** The title in one line, with the mark of its tone. */
  readonly title: string;
  /** The parts of the title, for services that limit its length. */
  readonly titleParts: readonly TitlePart[];
  /** The rule in words, and the distance of the value from its threshold. */
  readonly why?: string | undefined;
  /** Facts that are news, and the next step. */
  readonly facts: readonly Fact[];
  /** Facts that explain the value, for small print. */
  readonly details: readonly Fact[];
  /** The time of the facts. */
  readonly asOf?: Instant;
  /** The time zone in which times are shown. */
  readonly timeZone?: string | undefined;
  /** The alerts of a digest, one line each. */
  readonly list: readonly string[];
  /** The list and the rule of an alert in one line; for a digest, one line for each list. */
  readonly origin: readonly string[];
  /** The ids for programs, shown last. */
  readonly ids: readonly string[];
  readonly links: readonly Link[];
  /** The actions on an open episode, in the same order as on the linked page. */
  readonly actions: readonly Action[];
  /** The URL of the chart, and its alternative text. */
  readonly chart?: { readonly url: string; readonly alt: string };
};

type Link = { readonly host: string; readonly url: string };
type Action = { readonly label: string; readonly url: string; readonly isMain: boolean };

/**
 * Prefixes of titles for people. Names cannot begin with them, because coloured circles in names
 * are replaced.
 */
export const MARKS: Readonly<Record<Tone, string>> = {
  critical: '🔴',
  warning: '🟠',
  info: '🔵',
  resolved: '🟢',
};

/**
 * Maximum lengths in characters. With these, all facts of an alert fit into one message of every
 * chat.
 */
const NAME = 100;
const VALUE = 300;
const WHY = 500;
/** The default severity of rules. */
const USUAL = 'warning';
/** Maximum number of watchlists that a digest names. */
const NAMED = 20;

export function notificationParts(notification: Notification): NotificationParts {
  const marked = markedTitle(notification);
  const title = { title: titleText(marked), titleParts: marked };
  if (notification.kind === 'digest') return { ...title, ...partsOfDigest(notification) };
  const { alert, timeZone } = notification;
  const { rule, severity, contract, dataTime, id } = alert;
  // Omit the severity of an ended episode, because it would only cause alarm.
  const isActive = rule !== null && notificationTone(notification) === severity;
  const isUnusual = isActive && severity !== USUAL;
  const from = [...listNames(alert, notification), rule, isUnusual ? severity : null];
  const { why, facts, details } = sortedFacts(alert);
  const written = (some: readonly Fact[]) =>
    some
      .map((one) => factIn(timeZone, one))
      .map(({ name, value }) => ({ name: fitted(name, NAME), value: fitted(value, VALUE) }));
  const links = linksTo(contract).map((url) => ({ host: new URL(url).host, url }));
  return {
    ...title,
    why: why === undefined ? undefined : fitted(why, WHY),
    facts: written(facts),
    details: written(details),
    asOf: Date.parse(dataTime),
    timeZone,
    list: [],
    origin: [from.filter((one) => one !== null).join(' · ')].filter((line) => line !== ''),
    // Links contain the contract's address, so the contract is named only in messages without
    // links.
    ids: [
      ...(contract === null || links.length > 0 ? [] : [`Contract: ${contract}`]),
      `Alert: ${id}`,
    ],
    links,
    actions: actionLinks(notification).map(({ action, url }) => ({
      label: actionLabel(action),
      url,
      isMain: action === 'acknowledge',
    })),
    ...(notification.chart === undefined
      ? {}
      : { chart: { url: notification.chart, alt: 'Chart of the prices before the alert' } }),
  };
}

function partsOfDigest(digest: Digest) {
  const { alerts, burst, count, id, watchlists, timeZone, isForOperators } = digest;
  const isInTitle = watchlists.length === 1 && burst === undefined && isForOperators !== true;
  const unlisted = count - alerts.length;
  const unnamed = watchlists.length - NAMED;
  const lines = alerts.map((alert) => {
    const title = titleText(markedTitle({ kind: 'alert', alert }));
    return `${momentInWords(Date.parse(alert.at), timeZone)}  ${title}`;
  });
  return {
    ...{ facts: [], details: [] },
    list: [
      ...(unlisted === 0
        ? []
        : [
            burst === undefined
              ? `Showing the newest ${alerts.length}; ${unlisted} earlier ${unlisted === 1 ? 'one is' : 'ones are'} not listed.`
              : `Showing the worst ${alerts.length}; ${unlisted} ${unlisted === 1 ? 'other is' : 'others are'} not listed.`,
          ]),
      ...lines,
    ],
    origin: [
      ...(isInTitle ? [] : watchlists.slice(-NAMED)).map((list) =>
        listNames(list, digest).join(' · '),
      ),
      ...(unnamed > 0
        ? [`And ${unnamed} other ${unnamed === 1 ? 'watchlist' : 'watchlists'}`]
        : []),
    ],
    ids: [`Digest: ${id}`],
    links: [],
    actions: [],
  };
}

/**
 * The id of a list; for operators, the tenant and the id. The id of the list of contact points is
 * internal and not shown.
 */
function listNames(
  { tenant, watchlist }: Pick<Alert, 'tenant' | 'watchlist'>,
  { isForOperators }: Notification,
): readonly string[] {
  const list = Identifier.safeParse(watchlist).success ? [watchlist] : [];
  return isForOperators === true ? [tenant, ...list] : list;
}

function markedTitle(notification: Notification): readonly TitlePart[] {
  return [`${MARKS[notificationTone(notification)]} `, ...titleParts(notification)];
}

/**
 * The parts of a notification, with as many listed alerts as fit. If a digest is too long,
 * some alerts are counted but not listed: the oldest, or in a burst those nearest to their
 * thresholds.
 */
export function partsThatFit(
  notification: Notification,
  fits: (list: string) => boolean,
): NotificationParts {
  const parts = notificationParts(notification);
  if (notification.kind === 'alert' || notification.alerts.length === 1) return parts;
  if (fits(parts.list.join('\n'))) return parts;
  const { alerts, burst } = notification;
  const fewer = burst === undefined ? alerts.slice(1) : alerts.slice(0, -1);
  return partsThatFit({ ...notification, alerts: fewer }, fits);
}

/** The details with their time, for messages that show the time nowhere else. */
export function datedDetails({ details, asOf, timeZone }: NotificationParts): readonly Fact[] {
  if (asOf === undefined) return details;
  return [...details, { name: 'As of', value: momentInWords(asOf, timeZone) }];
}

/** Facts as one line of small print: `Was: 12.73 ETH · Source: OpenSea`. */
export function inSmallPrint(facts: readonly Fact[]): string {
  return facts.map(({ name, value }) => `${name}: ${value}`).join(' · ');
}

/** The first parts whose total length is within a limit. */
export function withinLimit<Part>(
  parts: readonly Part[],
  limit: number,
  lengthOf: (part: Part) => number,
): readonly Part[] {
  let left = limit;
  const end = parts.findIndex((part) => {
    left -= lengthOf(part);
    return left < 0;
  });
  return end < 0 ? parts : parts.slice(0, end);
}

/**
 * The longest prefix of a text that fits the limit after `written` has converted its characters.
 * The limit counts UTF-16 code units, so the text also fits if a service counts characters.
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
