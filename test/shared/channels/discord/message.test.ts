import { expect, it } from 'vitest';
import { discordMessage } from '#shared/channels/discord/message.ts';
import { digestOf } from '#shared/domain/alerting/notification.ts';
import { anAlert, anAlertInWords, PUNKS } from '#test/support/builders.ts';

const notificationOf = (given: Parameters<typeof anAlert>[0] = {}) => {
  return { kind: 'alert', alert: anAlertInWords(given) } as const;
};
/** The text as Discord displays it. */
const shown = (text = '') => text.replace(/\\([^0-9A-Za-z\s])/g, '$1');

it('shows an alert in Discord as one embed without a ping: reason, links, and small print', () => {
  const { embeds, allowed_mentions, ...rest } = discordMessage(notificationOf());

  const [embed] = embeds;
  expect(rest).toEqual({});
  expect(allowed_mentions).toEqual({ parse: [] });
  expect(embed).toMatchObject({
    title: '🟠 CryptoPunks below 60 ETH\\: 59\\.9 ETH \\(\\$181k\\, −2\\.2\\%\\)',
    description: `Floor price at or below 60 ETH\\, now 0\\.1 ETH \\(0\\.1\\%\\) below\n[opensea.io](https://opensea.io/assets/ethereum/${PUNKS.slice(4)}) · [etherscan.io](https://etherscan.io/address/${PUNKS.slice(4)})`,
    footer: {
      text: 'Was: 61.25 ETH · Source: OpenSea\npunks · floor-60\nAlert: 0123456789abcdef0123.1.1',
    },
    timestamp: '2026-11-21T12:00:00.000Z',
    color: 0xf9a825,
  });
  expect(embed).not.toHaveProperty('fields');
});

it('shows news in Discord as fields', () => {
  const [{ fields }] = discordMessage(notificationOf({ late: true })).embeds;

  expect(fields).toEqual([{ name: 'Late', value: 'evaluated only after an outage', inline: true }]);
});

it('shows a long value in Discord in a row of its own', () => {
  const facts = [{ name: 'Next', value: 'x'.repeat(33) }];
  const [{ fields }] = discordMessage({ kind: 'alert', alert: anAlert({ facts }) }).embeds;

  expect(fields?.map(({ inline }) => inline)).toEqual([false]);
});

it('shows a resolved alert in Discord in green, whatever its severity was', () => {
  const over = { kind: 'recovered', open: false, severity: 'critical' } as const;
  const [{ color, title = '' }] = discordMessage(notificationOf(over)).embeds;

  expect(color).toBe(0x2e7d32);
  expect(shown(title)).toMatch(/^🟢 Resolved: CryptoPunks below/);
});

it.each(['info', 'warning', 'critical'] as const)(
  'shows the severity %s in Discord, for a single alert only if it is not the default',
  (severity) => {
    const [{ title, footer }] = discordMessage(notificationOf({ severity })).embeds;
    const [digest] = discordMessage(digestOf('d1', [anAlert({ severity })])).embeds;

    const from = severity === 'warning' ? 'floor-60' : `floor-60 · ${severity}`;
    expect(`${title}\n${footer.text}`).toContain(`punks · ${from}\n`);
    expect(digest.title).toContain(`1 ${severity}`);
  },
);

it("shortens texts to Discord's limits without splitting a character or an escape", () => {
  const nasty = '🦍*'.repeat(2000);
  const facts = Array.from({ length: 14 }, () => ({ name: 'Next', value: nasty }));

  const [{ title, fields = [], ...embed }] = discordMessage({
    kind: 'alert',
    alert: anAlert({ title: nasty, facts, watchlist: nasty }),
  }).embeds;

  const values = fields.map(({ value }) => value);
  const texts = [title, ...fields.flatMap(({ name, value }) => [name, value])];
  const all = [...texts, embed.description, embed.footer.text].join('');
  expect(title.length).toBeLessThanOrEqual(256);
  expect(all.length).toBeLessThanOrEqual(6000);
  expect(values.length).toBeGreaterThan(3);
  for (const part of [title, ...values]) expect(part).toMatch(/^(🟠 )?(🦍|\\\*)+…$/u);
});

it('leaves out the oldest alerts of a digest that is too long for Discord, and counts them', () => {
  const alerts = Array.from({ length: 50 }, (_, n) =>
    anAlert({ title: `${'x'.repeat(150)} number ${n}` }),
  );

  const [{ title, description = '' }] = discordMessage(digestOf('d1', alerts)).embeds;

  const listed = description.match(/number \d+$/gm)?.length ?? 0;
  expect(shown(title)).toBe('🟠 50 alerts from watchlist "punks": 50 warning');
  expect(listed).toBeGreaterThan(10);
  expect(description).toMatch(/number 49$/);
  expect(shown(description)).toContain(`Showing the newest ${listed}; ${50 - listed} earlier ones`);
  expect(description.length).toBeLessThanOrEqual(4096);
});
