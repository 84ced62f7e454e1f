import type { Instant } from '#shared/domain/market/instant.ts';
import { momentInWords } from '#shared/domain/market/local-time.ts';
import type { Fact } from './alert.ts';
import { ACTION_LABELS, actionLinks } from './alert-action.ts';
import { factIn, linksTo } from './alert-words.ts';
import {
  type Digest,
  type Notification,
  notificationTone,
  type Tone,
  titleParts,
} from './notification.ts';
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
  readonly facts: readonly Fact[];
  /** The moment the facts are of. */
  readonly asOf?: Instant;
  /** In which times are told. */
  readonly timeZone?: string | undefined;
  /** The alerts of a digest, a line each. */
  readonly list: readonly string[];
  /** Where it is from, a line each. */
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
type Action = { readonly label: string; readonly url: string };

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
/** So many watchlists a digest names. */
const NAMED = 20;

export function partsOf(notification: Notification): NotificationParts {
  const marked = markedTitle(notification);
  const title = { title: titleText(marked), titleParts: marked };
  if (notification.kind === 'digest') return { ...title, ...partsOfDigest(notification) };
  const { alert, timeZone } = notification;
  const { tenant, watchlist, rule, severity, contract, facts, dataTime, id } = alert;
  const ofRule = rule === null ? '' : `, rule ${rule}`;
  // Of what is over it would only alarm.
  const how = notificationTone(notification) === severity ? `, severity ${severity}` : '';
  const links = linksTo(contract).map((url) => ({ host: new URL(url).host, url }));
  return {
    ...title,
    facts: facts
      .map((fact) => factIn(timeZone, fact))
      .map(({ name, value }) => ({ name: fitted(name, NAME), value: fitted(value, VALUE) })),
    asOf: Date.parse(dataTime),
    timeZone,
    list: [],
    origin: [`Watchlist ${watchlist} of ${tenant}${ofRule}${how}`],
    // A link has the address, too.
    ids: [
      ...(contract === null || links.length > 0 ? [] : [`Contract: ${contract}`]),
      `Alert: ${id}`,
    ],
    links,
    actions: actionLinks(notification).map(({ action, url }) => ({
      label: ACTION_LABELS[action],
      url,
    })),
    ...(notification.chart === undefined
      ? {}
      : { chart: { url: notification.chart, alt: 'Chart of the prices before the alert' } }),
  };
}

function partsOfDigest({ alerts, crowd, count, id, watchlists, timeZone }: Digest) {
  const unlisted = count - alerts.length;
  const unnamed = watchlists.length - NAMED;
  const lines = alerts.map((alert) => {
    const title = titleText(markedTitle({ kind: 'alert', alert }));
    return `${momentInWords(Date.parse(alert.at), timeZone)}  ${title}`;
  });
  return {
    facts: [],
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
      ...watchlists
        .slice(-NAMED)
        .map(({ tenant, watchlist }) => `Watchlist ${watchlist} of ${tenant}`),
      ...(unnamed > 0
        ? [`And ${unnamed} other ${unnamed === 1 ? 'watchlist' : 'watchlists'}`]
        : []),
    ],
    ids: [`Digest: ${id}`],
    links: [],
    actions: [],
  };
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

/** The facts with the moment they are of, for a form that has no place of its own for that. */
export function datedFacts({ facts, asOf, timeZone }: NotificationParts): readonly Fact[] {
  if (asOf === undefined) return facts;
  return [...facts, { name: 'As of', value: momentInWords(asOf, timeZone) }];
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
