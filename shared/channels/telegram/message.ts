import type { Notification } from '#shared/domain/alerting/notification.ts';
import {
  datedDetails,
  fitted,
  inSmallPrint,
  type NotificationParts,
  partsThatFit,
  withinLimit,
} from '#shared/domain/alerting/notification-parts.ts';
import { titleWithin } from '#shared/domain/alerting/title-parts.ts';

/** The arguments of `sendMessage`, without the chat. */
export type TelegramMessage = {
  readonly text: string;
  readonly parse_mode: 'HTML';
  readonly link_preview_options:
    | { readonly is_disabled: true }
    | { readonly url: string; readonly prefer_large_media: true };
  /** Buttons below the message, two in a row. */
  readonly reply_markup?: { readonly inline_keyboard: readonly (readonly TelegramButton[])[] };
};

type TelegramButton = { readonly text: string; readonly url: string };

/** Limits that keep the message within Telegram's 4096 characters, which exclude tags. */
const TITLE = 256;
const WHY = 600;
const FACTS = 1400;
const LIST = 2700;
const NAME = 256;
const VALUE = 1024;
const SMALL_PRINT = 1000;

/**
 * A notification as Telegram HTML. Names given by people cannot become mentions, links, commands or
 * markup: patterns that Telegram detects in plain text are broken up.
 */
export function telegramMessage(notification: Notification): TelegramMessage {
  const parts = partsThatFit(
    notification,
    (list) => written(list, Number.POSITIVE_INFINITY).length <= LIST,
  );
  const { why, list, origin, ids, links, chart, actions } = parts;
  const title = titleWithin(parts.titleParts, { limit: TITLE, cut: written });
  const facts = parts.facts.map(
    ({ name, value }) => `<b>${written(name, NAME)}:</b> ${written(value, VALUE)}`,
  );
  const linked = links.map(({ host, url }) => `<a href="${url}">${host}</a>`).join(' · ');
  const smallPrint = [inSmallPrint(datedDetails(parts)), ...origin, ...ids];
  const paragraphs = [
    [`<b>${title}</b>`, ...(why === undefined ? [] : [written(why, WHY)])].join('\n'),
    withinLimit(facts, FACTS, (line) => line.length + 1).join('\n'),
    written(list.join('\n'), LIST),
    linked,
    // Collapsed to its first lines; a tap shows the rest.
    `<blockquote expandable>${written(
      smallPrint.filter((line) => line !== '').join('\n'),
      SMALL_PRINT,
    )}</blockquote>`,
  ];
  return {
    text: paragraphs.filter((part) => part !== '').join('\n\n'),
    parse_mode: 'HTML',
    link_preview_options:
      chart === undefined ? { is_disabled: true } : { url: chart.url, prefer_large_media: true },
    ...(actions.length === 0 ? {} : { reply_markup: { inline_keyboard: inPairs(actions) } }),
  };
}

function inPairs(actions: NotificationParts['actions']): readonly (readonly TelegramButton[])[] {
  const buttons = actions.map(({ label, url }) => ({ text: label, url }));
  return Array.from({ length: Math.ceil(buttons.length / 2) }, (_, row) =>
    buttons.slice(2 * row, 2 * row + 2),
  );
}

/** The beginning of a text, escaped, within a limit of characters. */
function written(text: string, limit: number): string {
  return fitted(withoutLinks(text), limit, escaped);
}

/** Inserts an invisible joiner after characters that begin a mention, tag, command or address. */
function withoutLinks(text: string): string {
  return text.replace(/[@#$/]|(?<=\p{L})[.:](?=[\p{L}/])/gu, '$&\u2060');
}

function escaped(character: string): string {
  return { '&': '&amp;', '<': '&lt;', '>': '&gt;' }[character] ?? character;
}
