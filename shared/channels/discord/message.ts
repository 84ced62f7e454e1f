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
  partsThatFit,
  withinLimit,
} from '#shared/domain/alerting/notification-parts.ts';
import { titleWithin } from '#shared/domain/alerting/title-parts.ts';
import { formatInstant } from '#shared/domain/market/instant.ts';

/** A message for a Discord webhook: one embed, without pings. */
export type DiscordMessage = {
  readonly embeds: readonly [DiscordEmbed];
  readonly allowed_mentions: { readonly parse: readonly [] };
};

type DiscordEmbed = {
  readonly title: string;
  readonly description?: string;
  readonly fields?: readonly DiscordField[];
  readonly image?: { readonly url: string };
  readonly footer: { readonly text: string };
  /** Discord shows it in the reader's time zone. */
  readonly timestamp?: string;
  /** The colour of the bar next to the embed. */
  readonly color: number;
};

type DiscordField = { readonly name: string; readonly value: string; readonly inline: boolean };

/**
 * Discord's limits in characters. Our limits for description, fields and footer are lower than
 * Discord's, so that the total stays within 6000 characters.
 */
const TITLE = 256;
const DESCRIPTION = 4096;
const NAME = 256;
const VALUE = 1024;
const WHY = 600;
const FIELDS = 1800;
const FOOTER = 1024;
/** Longer values get their own row. */
const INLINE = 32;

const COLORS: Readonly<Record<Tone, number>> = {
  critical: 0xd32f2f,
  warning: 0xf9a825,
  info: 0x1976d2,
  resolved: 0x2e7d32,
};

/**
 * A notification as a Discord message. All markup is escaped except our own links, so names given
 * by people cannot become mentions, links or headings. Discord parses no markup in footers.
 */
export function discordMessage(notification: Notification): DiscordMessage {
  const parts = partsThatFit(notification, (list) => escaped(list).length <= DESCRIPTION);
  const { facts, details, origin, ids, asOf, chart } = parts;
  const description = descriptionOf(parts);
  const footer = [inSmallPrint(details), ...origin, ...ids].filter((line) => line !== '');
  const fields = withinLimit(
    facts.map(fieldOf),
    FIELDS,
    ({ name, value }) => `${name}${value}`.length,
  );
  const embed = {
    title: titleWithin(parts.titleParts, {
      limit: TITLE,
      cut: (text, limit) => fitted(text, limit, escaped),
    }),
    ...(description === '' ? {} : { description }),
    ...(fields.length === 0 ? {} : { fields }),
    ...(chart === undefined ? {} : { image: { url: chart.url } }),
    footer: { text: fitted(footer.join('\n'), FOOTER) },
    ...(asOf === undefined ? {} : { timestamp: formatInstant(asOf) }),
    color: COLORS[notificationTone(notification)],
  };
  return { embeds: [embed], allowed_mentions: { parse: [] } };
}

/** The reason of the alert and our links; for a digest, its list. */
function descriptionOf({ why, list, links, actions }: NotificationParts): string {
  if (list.length > 0) return fitted(list.join('\n'), DESCRIPTION, escaped);
  const pages = links.map(({ host, url }) => `[${host}](${url})`);
  const acts = actions.map(({ label, url }) => `[${label}](${url})`);
  return [why === undefined ? [] : [fitted(why, WHY, escaped)], acts, pages]
    .filter((line) => line.length > 0)
    .map((line) => line.join(' · '))
    .join('\n');
}

function fieldOf({ name, value }: Fact): DiscordField {
  return {
    name: fitted(name, NAME, escaped),
    value: fitted(value, VALUE, escaped),
    inline: value.length <= INLINE,
  };
}

/** Discord shows punctuation after a backslash as plain text. */
function escaped(text: string): string {
  return text.replace(/[!-/:-@[-`{-~]/g, '\\$&');
}
