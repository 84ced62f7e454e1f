import type { Notification } from '#shared/domain/alerting/notification.ts';
import { fitted, type Link, partsOf } from '#shared/domain/alerting/notification-parts.ts';

/** A message as Slack's incoming webhooks take it. */
export type SlackMessage = {
  /** What a notification shows. */
  readonly text: string;
  readonly blocks: readonly SlackBlock[];
};

type SlackBlock =
  | { readonly type: 'header' | 'section'; readonly text: SlackText }
  | { readonly type: 'context'; readonly elements: readonly (SlackText | SlackLinks)[] };

type SlackText = { readonly type: 'plain_text'; readonly text: string; readonly emoji: false };

/** Links of our own making; `verbatim`, so that nothing else becomes one. */
type SlackLinks = { readonly type: 'mrkdwn'; readonly text: string; readonly verbatim: true };

/** Slack's own limits: characters of a header and of a section, blocks of a message. */
const HEADER = 150;
const SECTION = 3000;
const SECTIONS = 50 - 2;

/**
 * A notification as Slack shows it. Everything but our own links is plain text: nothing that a
 * person named can become a mention, a link or markup.
 */
export function slackMessage(notification: Notification): SlackMessage {
  const { subject, details, footer, links } = partsOf(notification);
  const context = [
    ...(footer === '' ? [] : [plain(footer, SECTION)]),
    ...(links.length === 0 ? [] : [linked(links)]),
  ];
  return {
    text: escaped(subject),
    blocks: [
      { type: 'header', text: plain(subject, HEADER) },
      ...sectionsOf(details).map((text) => ({ type: 'section' as const, text })),
      ...(context.length === 0 ? [] : [{ type: 'context' as const, elements: context }]),
    ],
  };
}

/** What is too long for one section goes on in the next, line by line. */
function sectionsOf(details: string): readonly SlackText[] {
  const sections: string[] = [];
  for (const line of details.split('\n')) {
    const last = sections.at(-1);
    const longer = last === undefined ? line : `${last}\n${line}`;
    if (last !== undefined && longer.length <= SECTION) sections[sections.length - 1] = longer;
    else sections.push(line);
  }
  return sections
    .filter((section) => section !== '')
    .slice(0, SECTIONS)
    .map((section) => plain(section, SECTION));
}

function plain(text: string, limit: number): SlackText {
  return { type: 'plain_text', text: fitted(text, limit), emoji: false };
}

function linked(links: readonly Link[]): SlackLinks {
  const text = links.map(({ host, url }) => `<${url}|${host}>`).join(' · ');
  return { type: 'mrkdwn', text, verbatim: true };
}

/**
 * The notification's text is markup to Slack; its three control characters are written as
 * entities.
 */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
