import type { Notification } from '#shared/domain/alerting/notification.ts';
import { fitted, partsThatFit } from '#shared/domain/alerting/notification-parts.ts';

/** A message as the method `sendMessage` takes it, but for the chat. */
export type TelegramMessage = {
  readonly text: string;
  readonly parse_mode: 'HTML';
  readonly link_preview_options: { readonly is_disabled: true };
};

/** Telegram's own limit is 4096 without tags; these keep all within it. */
const SUBJECT = 256;
const DETAILS = 2800;
const FOOTER = 512;

/**
 * A notification as Telegram shows it, in its HTML. Nothing that a person named can become a
 * mention, a link, a command or markup: what Telegram finds in plain text, by itself, is broken up.
 */
export function telegramMessage(notification: Notification): TelegramMessage {
  const { subject, details, footer, links } = partsThatFit(
    notification,
    (details) => [...inert(details)].map(escaped).join('').length <= DETAILS,
  );
  const linked = links.map(({ host, url }) => `<a href="${url}">${host}</a>`).join(' · ');
  const paragraphs = [
    `<b>${fitted(inert(subject), SUBJECT, escaped)}</b>`,
    fitted(inert(details), DETAILS, escaped),
    fitted(inert(footer), FOOTER, escaped),
    linked,
  ];
  return {
    text: paragraphs.filter((part) => part !== '').join('\n\n'),
    parse_mode: 'HTML',
    link_preview_options: { is_disabled: true },
  };
}

/** An invisible joiner behind what begins a mention, tag, command or address. */
function inert(text: string): string {
  return text.replace(/[@#$/]|(?<=\p{L})[.:](?=[\p{L}/])/gu, '$&\u2060');
}

function escaped(character: string): string {
  return { '&': '&amp;', '<': '&lt;', '>': '&gt;' }[character] ?? character;
}
