import { expect, it } from 'vitest';
import { discordMessage } from '#shared/channels/discord/message.ts';
import { slackMessage } from '#shared/channels/slack/message.ts';
import { alertText } from '#shared/domain/alerting/alert-text.ts';
import {
  digestOf,
  type Notification,
  notificationSubject,
} from '#shared/domain/alerting/notification.ts';
import { Line, onOneLine } from '#shared/domain/words.ts';
import { anAlert, PUNKS } from '#test/support/builders.ts';
import { createSeededRandom } from '#test/support/seeded-random.ts';

const NASTY = [
  ...['<!channel>', '<!here|x>', '<@U012AB3CD>', '<#C012AB3CD>', '<http://evil.example|safe>'],
  ...['@everyone', '@here', '<@123456789012345678>', '<@&1>', '<#1>', '<t:0:R>', '<:a:1>', ':x:'],
  ...['[x](http://evil.example)', 'https://evil.example', '<https://evil.example>', 'steam://x'],
  ...['*b*', '**b**', '_i_', '~s~', '`c`', '```', '> q', '>>> q', '# h', '-# s', '- l', '1. l'],
  ...['||s||', '\\', '\\\\', '\\*', '&amp;', '&lt;!channel&gt;', '&', '"', "'", '`'],
  ...['\n', '\r\n', '\r\nBcc: x@evil.example', '\n\nAlert: forged', '\u2028', '\u2029', '\u0085'],
  ...['\u202e', '\u200f', '\u2066', '\u0000', '\u0007', '\ud800', '🦍', 'é', 'ﬁ', ' ', 'a', '0x1'],
];

/** What people may call things, and what the upstream may call a marketplace. */
const random = createSeededRandom(20261121);
const texts = Array.from({ length: 400 }, () =>
  Array.from({ length: 1 + random.below(4) }, () => random.pick(NASTY)).join(''),
);
const lines = texts.flatMap((text) => Line.safeParse(text).data ?? []);
const notifications: readonly Notification[] = lines.flatMap((line, index) => {
  const source = onOneLine(texts[index] ?? '') || 'x';
  const alert = notificationOf(line, lines.at(-index) ?? line, source);
  return [{ kind: 'alert', alert }, digestOf('d1', [alert, alert])] as const;
});

function notificationOf(name: string, label: string, source: string) {
  const alert = anAlert({ name, source });
  return { ...alert, text: alertText(alert, { label, condition: 'at or below 60 ETH' }) };
}
const plain = notificationOf('Punks', 'low', 'opensea');
const plainOf = ({ kind }: Notification): Notification =>
  kind === 'alert' ? { kind, alert: plain } : digestOf('d1', [plain, plain]);
/** Our own links, of which nothing is made of what people call things. */
const LINKS = [
  ['opensea.io', `https://opensea.io/assets/ethereum/${PUNKS.slice(4)}`],
  ['etherscan.io', `https://etherscan.io/address/${PUNKS.slice(4)}`],
] as const;
const linesIn = (text: string | undefined) => text?.split(/\r\n|[\n\r\u0085\u2028\u2029]/).length;

it('has enough to look at', () => {
  expect(notifications.length).toBeGreaterThan(300);
});

it('no name, label or source makes a line of its own, in a subject or anywhere else', () => {
  for (const notification of notifications) {
    const subject = notificationSubject(notification);
    expect(subject).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
    const [slack, expected] = [notification, plainOf(notification)].map((some) =>
      slackMessage(some).blocks.map((block) =>
        linesIn(block.type === 'context' ? block.elements[0]?.text : block.text.text),
      ),
    );
    expect(slack, subject).toEqual(expected);
  }
});

it('Slack reads nothing of it as a mention, a link or markup', () => {
  for (const notification of notifications) {
    const { text, blocks } = slackMessage(notification);
    expect(text).not.toMatch(/[<>]|&(?!(amp|lt|gt);)/);
    const elements = blocks.flatMap((block) =>
      block.type === 'context' ? block.elements : [block.text],
    );
    const markup = elements.filter(({ type }) => type !== 'plain_text');
    const ours = LINKS.map(([host, url]) => `<${url}|${host}>`).join(' · ');
    expect(markup).toEqual(
      notification.kind === 'digest' ? [] : [{ type: 'mrkdwn', text: ours, verbatim: true }],
    );
  }
});

it('Discord reads nothing of it as a mention, a link or markup, and shows all of it', () => {
  for (const notification of notifications) {
    const { embeds, allowed_mentions } = discordMessage(notification);
    const [{ title, description = '' }] = embeds;
    expect(allowed_mentions).toEqual({ parse: [] });
    const ours = `\n\n${LINKS.map(([host, url]) => `[${host}](${url})`).join(' · ')}`;
    expect(description.endsWith(ours)).toBe(notification.kind === 'alert');
    const reported =
      notification.kind === 'alert' ? description.slice(0, -ours.length) : description;
    for (const text of [title, reported]) {
      // Behind each backslash is what it takes the power from; no other punctuation is left.
      const bare = text.replace(/\\[!-/:-@[-`{-~]/g, '');
      expect(bare).not.toMatch(/[!-/:-@[-`{-~]/);
    }
    expect(title.replace(/\\(.)/g, '$1')).toBe(notificationSubject(notification));
    const [expected] = discordMessage(plainOf(notification)).embeds;
    expect(linesIn(description)).toBe(linesIn(expected.description));
  }
});
