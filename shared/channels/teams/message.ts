import type { Fact } from '#shared/domain/alerting/alert.ts';
import {
  type Notification,
  notificationTone,
  type Tone,
} from '#shared/domain/alerting/notification.ts';
import {
  fitted,
  inSmallPrint,
  partsThatFit,
  withinLimit,
} from '#shared/domain/alerting/notification-parts.ts';
import { titleWithin } from '#shared/domain/alerting/title-parts.ts';
import { formatInstant, type Instant } from '#shared/domain/market/instant.ts';

/** A message for a Teams workflow: one Adaptive Card. */
export type TeamsMessage = {
  readonly type: 'message';
  readonly attachments: readonly [
    {
      readonly contentType: 'application/vnd.microsoft.card.adaptive';
      readonly content: TeamsCard;
    },
  ];
};

type TeamsCard = {
  readonly type: 'AdaptiveCard';
  readonly version: '1.5';
  readonly body: readonly (TeamsLine | TeamsRow | TeamsImage | TeamsMoment)[];
  readonly actions: readonly {
    readonly type: 'Action.OpenUrl';
    readonly title: string;
    readonly url: string;
  }[];
};

/** A line of text. Teams parses no markup in a `TextRun`. */
type TeamsLine = {
  readonly type: 'RichTextBlock';
  readonly spacing?: 'none';
  readonly inlines: readonly [{ readonly type: 'TextRun'; readonly text: string } & TeamsStyle];
};

/** A fact with its name on the left. A `FactSet` would parse Markdown in names given by people. */
type TeamsRow = {
  readonly type: 'ColumnSet';
  readonly spacing: 'small';
  readonly columns: readonly [TeamsColumn<'120px', TeamsLine>, TeamsColumn<'stretch', TeamsLine>];
};

type TeamsImage = {
  readonly type: 'Image';
  readonly url: string;
  readonly altText: string;
  readonly size: 'stretch';
};

type TeamsColumn<Width, Item> = {
  readonly type: 'Column';
  readonly width: Width;
  readonly items: readonly [Item];
};

/** Teams shows our times in the reader's time zone, which requires markup. */
type TeamsMoment = { readonly type: 'TextBlock'; readonly text: string } & TeamsSmallPrint;

type TeamsStyle = {
  readonly size?: 'medium' | 'small';
  readonly weight?: 'bolder';
  readonly color?: (typeof COLORS)[Tone];
  readonly isSubtle?: true;
};

/**
 * Limits in characters, each of at most three bytes. Teams accepts messages of about 28 KB by its
 * own count (Microsoft, "Create an Incoming Webhook"); some users report refusals at 21 KB.
 */
const TITLE = 256;
const LIST = 4000;
const FACTS = 2000;
const SMALL_PRINT = 1500;

const SMALL = { size: 'small', isSubtle: true } as const;
type TeamsSmallPrint = typeof SMALL;

const COLORS = {
  critical: 'attention',
  warning: 'warning',
  info: 'accent',
  resolved: 'good',
} as const satisfies Record<Tone, string>;

/**
 * A notification as a Teams message. No text is parsed as markup, so names given by people cannot
 * become mentions, links or headings.
 */
export function teamsMessage(notification: Notification): TeamsMessage {
  const {
    titleParts,
    why,
    facts,
    details,
    asOf,
    list,
    origin,
    ids,
    links,
    chart,
    actions: acts,
  } = partsThatFit(notification, (listed) => listed.length <= LIST);
  const color = COLORS[notificationTone(notification)];
  const shown = withinLimit(facts, FACTS, ({ name, value }) => `${name}${value}`.length);
  const body = [
    lineOf(titleWithin(titleParts, { limit: TITLE, cut: fitted }), {
      size: 'medium',
      weight: 'bolder',
      color,
    }),
    ...(why === undefined ? [] : [lineOf(why, {})]),
    ...shown.map(rowOf),
    ...linesOf(fitted(list.join('\n'), LIST), {}),
    ...(chart === undefined
      ? []
      : [{ type: 'Image', url: chart.url, altText: chart.alt, size: 'stretch' } as const]),
    ...(asOf === undefined ? [] : [localTime(asOf)]),
    ...linesOf(fitted([inSmallPrint(details), ...origin, ...ids].join('\n'), SMALL_PRINT), SMALL),
  ];
  // At most four actions and two links: Teams shows six buttons (Microsoft, "Adaptive Cards in
  // Teams").
  const actions = [...acts, ...links.map(({ host, url }) => ({ label: host, url }))].map(
    ({ label, url }) => ({ type: 'Action.OpenUrl', title: label, url }) as const,
  );
  const content = { type: 'AdaptiveCard', version: '1.5', body, actions } as const;
  const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', content } as const;
  return { type: 'message', attachments: [attachment] };
}

function rowOf({ name, value }: Fact): TeamsRow {
  return {
    type: 'ColumnSet',
    spacing: 'small',
    columns: [
      { type: 'Column', width: '120px', items: [lineOf(name, { weight: 'bolder' })] },
      { type: 'Column', width: 'stretch', items: [lineOf(value, {})] },
    ],
  };
}

/** Teams does not parse fractions of a second. */
function localTime(moment: Instant): TeamsMoment {
  const written = formatInstant(moment).replace(/\.\d+Z$/, 'Z');
  return { type: 'TextBlock', text: `{{DATE(${written}, SHORT)}} {{TIME(${written})}}`, ...SMALL };
}

/**
 * A `TextRun` cannot contain line breaks, so each line is a block. Only the first block keeps its
 * spacing.
 */
function linesOf(text: string, style: TeamsStyle): readonly TeamsLine[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line, index) => ({
      ...lineOf(line, style),
      ...(index === 0 ? {} : { spacing: 'none' }),
    }));
}

function lineOf(text: string, style: TeamsStyle): TeamsLine {
  return { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text, ...style }] };
}
