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
  notificationParts,
} from '#shared/domain/alerting/notification-parts.ts';
import { titleWithin } from '#shared/domain/alerting/title-parts.ts';
import { SECOND } from '#shared/domain/market/instant.ts';
import { momentInWords } from '#shared/domain/market/local-time.ts';

/** A message for a Slack incoming webhook. */
export type SlackMessage = {
  /** The text of the notification on phones and desktops. */
  readonly text: string;
  readonly blocks: readonly [SlackHeader];
  /** The content with a bar in the colour of the tone, then the buttons. */
  readonly attachments: readonly [SlackBody, ...SlackButtons[]];
};

type SlackBody = { readonly color: string; readonly blocks: readonly SlackBlock[] };

/**
 * Link buttons in an attachment. Slack sends presses of a block's button to the app, even if the
 * button has a `url`. If the app does not respond, Slack shows a warning next to the button
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

/** Our own links and escaped names; `verbatim` prevents Slack from creating other links. */
type SlackMarkup = { readonly type: 'mrkdwn'; readonly text: string; readonly verbatim: true };

/**
 * Slack's limits: the characters of a header, the characters of a section, and the fields of a
 * section.
 */
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
 * A notification as a Slack message. Everything except our own words and links is plain text or
 * escaped, so names given by people cannot become mentions, links or markup.
 */
export function slackMessage(notification: Notification): SlackMessage {
  const parts = notificationParts(notification);
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

/** Slack allows five buttons in an attachment. */
function buttonsOf(actions: NotificationParts['actions']): Omit<SlackButtons, 'color'> {
  return {
    fallback: actions.map(({ label }) => label).join(', '),
    actions: actions.map(({ label, url, isMain }) => ({
      ...{ type: 'button', text: label, url },
      ...(isMain ? { style: 'primary' } : {}),
    })),
  };
}

/**
 * Names on the left and values on the right, in as many sections as the limit of fields requires.
 */
function fieldsOf(facts: readonly Fact[]): readonly (readonly (SlackText | SlackMarkup)[])[] {
  const rows = FIELDS / 2;
  return Array.from({ length: Math.ceil(facts.length / rows) }, (_, index) =>
    facts
      .slice(index * rows, (index + 1) * rows)
      .flatMap(({ name, value }) => [nameOf(name), plain(value, SECTION)]),
  );
}

/**
 * The name of a fact in bold. In reports it is the name of a collection. Slack has no escape for
 * its formatting characters, so a name that contains one stays plain text.
 */
function nameOf(name: string): SlackText | SlackMarkup {
  return /[*_~`:]/.test(name) ? plain(name, SECTION) : markup(`*${escaped(name)}*`);
}

/** Splits lines that exceed one section into several sections. */
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

/** The time in the reader's time zone, and our links. */
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
 * Slack parses markup in the text of a notification and in bold names, so its three control
 * characters are escaped.
 */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
