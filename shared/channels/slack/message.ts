import type { Fact } from '#shared/domain/alerting/alert.ts';
import {
  type Notification,
  notificationTone,
  type Tone,
} from '#shared/domain/alerting/notification.ts';
import {
  fitted,
  inSmallPrint,
  type NotificationParts,
  partsOf,
} from '#shared/domain/alerting/notification-parts.ts';
import { titleWithin } from '#shared/domain/alerting/title-parts.ts';
import { SECOND } from '#shared/domain/market/instant.ts';
import { momentInWords } from '#shared/domain/market/local-time.ts';

/** A message as Slack's incoming webhooks take it. */
export type SlackMessage = {
  /** What a notification shows. */
  readonly text: string;
  readonly blocks: readonly [SlackHeader];
  /** The text behind a bar of the tone's colour, then the buttons. */
  readonly attachments: readonly [SlackBody, ...SlackButtons[]];
};

type SlackBody = { readonly color: string; readonly blocks: readonly SlackBlock[] };

/**
 * Link buttons of an attachment. A button of a block, even one with a `url`, also asks the application
 * behind the webhook; without an answer Slack shows a warning beside it
 * (github.com/slackapi/node-slack-sdk/issues/869).
 */
type SlackButtons = {
  readonly color: string;
  readonly fallback: string;
  readonly actions: readonly {
    readonly type: 'button';
    readonly text: string;
    readonly url: string;
    readonly style?: 'primary';
  }[];
};

type SlackHeader = { readonly type: 'header'; readonly text: SlackText };

type SlackBlock =
  | { readonly type: 'section'; readonly text: SlackText | SlackMarkup }
  | { readonly type: 'section'; readonly fields: readonly (SlackText | SlackMarkup)[] }
  | { readonly type: 'image'; readonly image_url: string; readonly alt_text: string }
  | { readonly type: 'context'; readonly elements: readonly (SlackText | SlackMarkup)[] };

type SlackText = { readonly type: 'plain_text'; readonly text: string; readonly emoji: false };

/** Links of our own making and escaped names; `verbatim`, so that nothing else becomes a link. */
type SlackMarkup = { readonly type: 'mrkdwn'; readonly text: string; readonly verbatim: true };

/** Slack's own limits: characters of a header and of a section, fields of a section. */
const HEADER = 150;
const SECTION = 3000;
const FIELDS = 10;

const COLORS: Readonly<Record<Tone, string>> = {
  critical: '#d32f2f',
  warning: '#f9a825',
  info: '#1976d2',
  resolved: '#2e7d32',
};

/**
 * A notification as Slack shows it. Everything but our own words and links is plain text or
 * escaped: nothing that a person named can become a mention, a link or markup.
 */
export function slackMessage(notification: Notification): SlackMessage {
  const parts = partsOf(notification);
  const { title, why, facts, details, list, origin, ids, chart, actions } = parts;
  const color = COLORS[notificationTone(notification)];
  const header = titleWithin(parts.titleParts, { limit: HEADER, cut: fitted });
  const blocks = [
    ...sectionsOf([...(why === undefined ? [] : [why]), ...list]).map((text) => ({
      type: 'section' as const,
      text,
    })),
    ...fieldsOf(facts).map((fields) => ({ type: 'section' as const, fields })),
  ];
  const smallPrint = [inSmallPrint(details), ...origin, ...ids].filter((line) => line !== '');
  const elements = [...ourWords(parts), plain(smallPrint.join('\n'), SECTION)];
  return {
    text: escaped(title),
    blocks: [{ type: 'header', text: plain(header, HEADER) }],
    attachments: [
      {
        color,
        blocks: [
          ...blocks,
          ...(chart === undefined
            ? []
            : [{ type: 'image' as const, image_url: chart.url, alt_text: chart.alt }]),
          { type: 'context', elements },
        ],
      },
      ...(actions.length === 0 ? [] : [{ color, ...buttonsOf(actions) }]),
    ],
  };
}

/** At most five in an attachment. */
function buttonsOf(actions: NotificationParts['actions']): Omit<SlackButtons, 'color'> {
  return {
    fallback: actions.map(({ label }) => label).join(', '),
    actions: actions.map(({ label, url, isMain }) => ({
      ...{ type: 'button', text: label, url },
      ...(isMain ? { style: 'primary' } : {}),
    })),
  };
}

/** Names on the left, values on the right, as many rows as a section takes. */
function fieldsOf(facts: readonly Fact[]): readonly (readonly (SlackText | SlackMarkup)[])[] {
  const rows = FIELDS / 2;
  return Array.from({ length: Math.ceil(facts.length / rows) }, (_, index) =>
    facts
      .slice(index * rows, (index + 1) * rows)
      .flatMap(({ name, value }) => [nameOf(name), plain(value, SECTION)]),
  );
}

/**
 * The name of a fact, in bold. In a report it is the name of a collection; Slack has no escape for
 * the characters of its formatting, so a name with one of them is plain text.
 */
function nameOf(name: string): SlackText | SlackMarkup {
  return /[*_~`:]/.test(name) ? plain(name, SECTION) : markup(`*${escaped(name)}*`);
}

/** What is too long for one section goes on in the next, line by line. */
function sectionsOf(lines: readonly string[]): readonly SlackText[] {
  const sections: string[] = [];
  for (const line of lines) {
    const last = sections.at(-1);
    const longer = last === undefined ? line : `${last}\n${line}`;
    if (last !== undefined && longer.length <= SECTION) sections[sections.length - 1] = longer;
    else sections.push(line);
  }
  return sections.map((section) => plain(section, SECTION));
}

/** The moment in the reader's own time zone, and where to look. */
function ourWords({ asOf, timeZone, links }: NotificationParts): readonly SlackMarkup[] {
  const moment =
    asOf === undefined
      ? []
      : [
          `<!date^${Math.floor(asOf / SECOND)}^{date_short_pretty} {time}|${momentInWords(asOf, timeZone)}>`,
        ];
  const words = [...moment, ...links.map(({ host, url }) => `<${url}|${host}>`)];
  return words.length === 0 ? [] : [markup(words.join(' · '))];
}

function plain(text: string, limit: number): SlackText {
  return { type: 'plain_text', text: fitted(text, limit), emoji: false };
}

function markup(text: string): SlackMarkup {
  return { type: 'mrkdwn', text, verbatim: true };
}

/**
 * Slack reads a notification's text and bold names as markup; its three control characters are
 * written as entities.
 */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
