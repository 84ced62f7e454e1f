import { digestOf, type Notification } from '#shared/domain/alerting/notification.ts';
import { Line, onOneLine } from '#shared/domain/words.ts';
import { anAlertInWords, PUNKS } from '#test/support/builders.ts';
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
export const notifications: readonly Notification[] = lines.flatMap((line, index) => {
  const source = onOneLine(texts[index] ?? '') || 'x';
  const alert = notificationOf(line, lines.at(-index) ?? line, source);
  return [{ kind: 'alert', alert }, digestOf('d1', [alert, alert])] as const;
});

function notificationOf(name: string, label: string, source: string) {
  return anAlertInWords({ name, source }, { label });
}
const plain = notificationOf('Punks', 'low', 'opensea');
/** The same of a name in which nothing is to be escaped. */
export const plainOf = ({ kind }: Notification): Notification =>
  kind === 'alert' ? { kind, alert: plain } : digestOf('d1', [plain, plain]);
/** Our own links, of which nothing is made of what people call things. */
export const LINKS = [
  ['opensea.io', `https://opensea.io/assets/ethereum/${PUNKS.slice(4)}`],
  ['etherscan.io', `https://etherscan.io/address/${PUNKS.slice(4)}`],
] as const;
export const linesIn = (text: string | undefined) =>
  text?.split(/\r\n|[\n\r\u0085\u2028\u2029]/).length;
