import type { Alert } from './alert.ts';
import { alertSubject } from './alert-text.ts';

/** A message as Slack's incoming webhooks take it. */
export type SlackMessage = {
  /** What a notification shows. */
  readonly text: string;
  readonly blocks: readonly SlackBlock[];
};

type SlackBlock =
  | { readonly type: 'header' | 'section'; readonly text: SlackText }
  | { readonly type: 'context'; readonly elements: readonly SlackText[] };

type SlackText = { readonly type: 'plain_text'; readonly text: string; readonly emoji: false };

/** Slack's own limits: 150 characters in a header, 3000 in a section. */
const HEADER = 150;
const SECTION = 3000;

/**
 * An alert as Slack shows it. Everything is plain text: nothing that a person named can become a
 * mention, a link or markup.
 */
export function slackMessage(alert: Alert): SlackMessage {
  const subject = alertSubject(alert);
  const [, ...details] = alert.text.split('\n\n');
  const footer = details.pop() ?? '';
  return {
    text: escaped(subject),
    blocks: [
      { type: 'header', text: plain(subject, HEADER) },
      { type: 'section', text: plain(details.join('\n\n'), SECTION) },
      { type: 'context', elements: [plain(footer, SECTION)] },
    ],
  };
}

function plain(text: string, limit: number): SlackText {
  const characters = [...text];
  const cut = characters.length > limit ? `${characters.slice(0, limit - 1).join('')}…` : text;
  return { type: 'plain_text', text: cut, emoji: false };
}

/** The notification's text is markup to Slack; its three control characters are told as entities. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
