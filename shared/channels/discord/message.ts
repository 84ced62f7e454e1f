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

/** A message as Discord's webhooks take it: one embed, without pings. */
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
  /** Shown in the reader's own time zone. */
  readonly timestamp?: string;
  /** Beside the mark of the title. */
  readonly color: number;
};

type DiscordField = { readonly name: string; readonly value: string; readonly inline: boolean };

/** Discord's own limits; of description, fields and footer as much as keeps all within 6000 characters. */
const TITLE = 256;
const DESCRIPTION = 4096;
const NAME = 256;
const VALUE = 1024;
const WHY = 600;
const FIELDS = 1800;
const FOOTER = 1024;
/** Longer values have a row of their own. */
const INLINE = 32;

const COLORS: Readonly<Record<Tone, number>> = {
  critical: 0xd32f2f,
  warning: 0xf9a825,
  info: 0x1976d2,
  resolved: 0x2e7d32,
};

/**
 * A notification as Discord shows it. All that Discord reads as markup is escaped, but for our own
 * links: nothing that a person named can become a mention, a link or a heading. A footer is never
 * read as markup.
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

/** Why it is sent, and our links; or the list of a digest, which has neither. */
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

/** Discord shows any punctuation behind a backslash as itself. */
function escaped(text: string): string {
  return text.replace(/[!-/:-@[-`{-~]/g, '\\$&');
}
