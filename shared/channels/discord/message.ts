import { type Notification, notificationTone } from '#shared/domain/alerting/notification.ts';
import {
  fitted,
  type NotificationParts,
  partsOf,
  partsThatFit,
} from '#shared/domain/alerting/notification-parts.ts';

/** A message as Discord's webhooks take it: one embed, without pings. */
export type DiscordMessage = {
  readonly embeds: readonly [DiscordEmbed];
  readonly allowed_mentions: { readonly parse: readonly [] };
};

type DiscordEmbed = {
  readonly title: string;
  readonly description?: string;
  readonly footer?: { readonly text: string };
  /** Beside the severity in words. */
  readonly color: number;
};

/** Discord's own limits, and of a footer as much as keeps all within 6000 characters. */
const TITLE = 256;
const DESCRIPTION = 4096;
const FOOTER = 1024;

const COLORS: Readonly<Record<ReturnType<typeof notificationTone>, number>> = {
  critical: 0xd32f2f,
  warning: 0xf9a825,
  info: 0x1976d2,
  good: 0x2e7d32,
};

/**
 * A notification as Discord shows it. All that Discord reads as markup is escaped, but for our own
 * links: nothing that a person named can become a mention, a link or a heading. A footer is never
 * read as markup.
 */
export function discordMessage(notification: Notification): DiscordMessage {
  const { subject, footer } = partsOf(notification);
  const description = descriptionOf(
    partsThatFit(notification, (details) => escaped(details).length <= DESCRIPTION),
  );
  const embed = {
    title: fitted(subject, TITLE, escaped),
    ...(description === '' ? {} : { description }),
    ...(footer === '' ? {} : { footer: { text: fitted(footer, FOOTER) } }),
    color: COLORS[notificationTone(notification)],
  };
  return { embeds: [embed], allowed_mentions: { parse: [] } };
}

function descriptionOf({ details, links }: NotificationParts): string {
  const linked = links.map(({ host, url }) => `[${host}](${url})`).join(' · ');
  const reported = fitted(details, DESCRIPTION - linked.length - 2, escaped);
  return [reported, linked].filter((part) => part !== '').join('\n\n');
}

/** Discord shows any punctuation behind a backslash as itself. */
function escaped(text: string): string {
  return text.replace(/[!-/:-@[-`{-~]/g, '\\$&');
}
