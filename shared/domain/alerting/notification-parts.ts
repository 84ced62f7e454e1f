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
 * A notification in the parts of which each kind of channel makes its own form. Links are built from
 * the contract's address and what this stack has signed.
 */
export type NotificationParts = {
  /** One line, with the mark of its tone. */
  readonly title: string;
  /** The parts of the title, for vendors that limit its length. */
  readonly titleParts: readonly TitlePart[];
  /** The rule in words, and the distance of the value from its threshold. */
  readonly why?: string | undefined;
  /** News, and what to do next. */
  readonly facts: readonly Fact[];
  /** Facts that explain the value, for small print. */
  readonly details: readonly Fact[];
  /** The moment the facts are of. */
  readonly asOf?: Instant;
  /** In which times are told. */
  readonly timeZone?: string | undefined;
  /** The alerts of a digest, a line each. */
  readonly list: readonly string[];
  /** The list and the rule that it is from, a line for each list. */
  readonly origin: readonly string[];
  /** What programs find it by; for people, last. */
  readonly ids: readonly string[];
  readonly links: readonly Link[];
  /** What can be done about an open episode, in the order of the page. */
  readonly actions: readonly Action[];
  /** The address of a picture, and what a reader hears who does not see it. */
  readonly chart?: { readonly url: string; readonly alt: string };
};

type Link = { readonly host: string; readonly url: string };
type Action = { readonly label: string; readonly url: string; readonly isMain: boolean };

/** What a title begins with for people; nothing that a person named can begin like it. */
export const MARKS: Readonly<Record<Tone, string>> = {
  critical: '🔴',
  warning: '🟠',
  info: '🔵',
  resolved: '🟢',
};

/** Characters of a fact, by which all facts of an alert are within every chat's limits. */
const NAME = 100;
const VALUE = 300;
const WHY = 500;
/** The severity of rules that name none. */
const USUAL = 'warning';
/** So many watchlists a digest names. */
const NAMED = 20;

export function partsOf(notification: Notification): NotificationParts {
  const marked = markedTitle(notification);
  const title = { title: titleText(marked), titleParts: marked };
  if (notification.kind === 'digest') return { ...title, ...partsOfDigest(notification) };
  const { alert, timeZone } = notification;
  const { rule, severity, contract, dataTime, id } = alert;
  // Of what is over it would only alarm.
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
    // A link has the address, too.
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
  const { alerts, crowd, count, id, watchlists, timeZone, isForOperators } = digest;
  const isInTitle = watchlists.length === 1 && crowd === undefined && isForOperators !== true;
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
            crowd === undefined
              ? `The newest ${alerts.length}; ${unlisted} earlier ${unlisted === 1 ? 'one is' : 'ones are'} not listed.`
              : `The worst ${alerts.length}; ${unlisted} ${unlisted === 1 ? 'other is' : 'others are'} not listed.`,
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
 * The id of a list, after that of its tenant for operators. The list of a tenant's contact points has
 * an id that no person can write.
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
 * Its parts with a list that fits: the oldest alerts of a digest that is too long are left out, of a
 * crowd the least, and counted.
 */
export function partsThatFit(
  notification: Notification,
  fits: (list: string) => boolean,
): NotificationParts {
  const parts = partsOf(notification);
  if (notification.kind === 'alert' || notification.alerts.length === 1) return parts;
  if (fits(parts.list.join('\n'))) return parts;
  const { alerts, crowd } = notification;
  const fewer = crowd === undefined ? alerts.slice(1) : alerts.slice(0, -1);
  return partsThatFit({ ...notification, alerts: fewer }, fits);
}

/** The details with the moment they are of, for a form that has no place of its own for that. */
export function datedDetails({ details, asOf, timeZone }: NotificationParts): readonly Fact[] {
  if (asOf === undefined) return details;
  return [...details, { name: 'As of', value: momentInWords(asOf, timeZone) }];
}

/** Facts as one line of small print: `Was: 12.73 ETH · Source: OpenSea`. */
export function inSmallPrint(facts: readonly Fact[]): string {
  return facts.map(({ name, value }) => `${name}: ${value}`).join(' · ');
}

/** The first of what is in so many characters together. */
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
