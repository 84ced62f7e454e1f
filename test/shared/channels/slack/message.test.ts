import { expect, it } from 'vitest';
import { slackMessage } from '#shared/channels/slack/message.ts';
import { alertText } from '#shared/domain/alerting/alert-text.ts';
import { digestOf } from '#shared/domain/alerting/notification.ts';
import { anAlert } from '#test/support/builders.ts';

const withText = (given: Parameters<typeof anAlert>[0] = {}, label?: string) => {
  const alert = anAlert(given);
  const text = alertText(alert, { label, condition: 'at or below 60 ETH' });
  return { kind: 'alert', alert: { ...alert, text } } as const;
};

it('shows an alert as header, facts and context', () => {
  const message = slackMessage(withText());

  expect(message).toEqual({
    text: 'CryptoPunks: floor price 59.9 ETH, at or below 60 ETH',
    blocks: [
      {
        type: 'header',
        text: {
          type: 'plain_text',
          text: 'CryptoPunks: floor price 59.9 ETH, at or below 60 ETH',
          emoji: false,
        },
      },
      {
        type: 'section',
        text: {
          type: 'plain_text',
          text: 'Was: 61.25 ETH, −2.2 %\nRule: floor price at or below 60 ETH\nAs of: 2026-11-21 12:00 UTC\nSource: opensea',
          emoji: false,
        },
      },
      {
        type: 'context',
        elements: [
          {
            type: 'plain_text',
            text: 'Contract: eth:0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb\nWatchlist: punks of acme, rule: floor-60, severity: warning\nAlert: 0123456789abcdef0123.1.1',
            emoji: false,
          },
          {
            type: 'mrkdwn',
            text: '<https://opensea.io/assets/ethereum/0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb|opensea.io> · <https://etherscan.io/address/0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb|etherscan.io>',
            verbatim: true,
          },
        ],
      },
    ],
  });
});

it("stays within Slack's limits, and cuts no character in half", () => {
  const message = slackMessage(withText({ name: 'x'.repeat(149), source: '🦍'.repeat(4000) }));

  const [header, ...sections] = message.blocks.flatMap((block) =>
    'text' in block ? [block.text.text] : [],
  );
  expect(header).toHaveLength(150);
  expect(sections.map(({ length }) => length <= 3000)).toEqual([true, true]);
  expect(sections.at(-1)?.length).toBeGreaterThan(2990);
  expect(`${header}${sections.join('')}`.isWellFormed()).toBe(true);
  expect([header?.at(-1), sections.at(-1)?.at(-1)]).toEqual(['…', '…']);
});

it('shows an expired rule, which has no contract, in the same three blocks', () => {
  const message = slackMessage(withText({ kind: 'expired', contract: null, name: null }));

  expect(message.blocks.map(({ type }) => type)).toEqual(['header', 'section', 'context']);
  expect(JSON.stringify(message.blocks)).not.toContain('"text":""');
});

it('shows a digest as header, as many sections as it takes, and context', () => {
  const alerts = Array.from({ length: 50 }, (_, n) =>
    anAlert({ id: `a.1.${n}`, text: `${'x'.repeat(200)} ${n}\n\nmore` }),
  );

  const { blocks, text } = slackMessage(digestOf('d1', alerts));

  const sections = blocks.flatMap((block) => (block.type === 'section' ? [block.text.text] : []));
  expect(text).toBe('50 alerts of watchlist "punks": 50 warning');
  expect(blocks.map(({ type }) => type)).toEqual([
    'header',
    ...sections.map(() => 'section'),
    'context',
  ]);
  expect(sections).toHaveLength(4);
  expect(sections.every((section) => section.length <= 3000)).toBe(true);
  expect(sections.join('\n').match(/x \d+$/gm)).toHaveLength(50);
});

it('shows what has nothing but a subject, as a header alone', () => {
  const notification = {
    kind: 'alert',
    alert: anAlert({ contract: null, text: 'a sample' }),
  } as const;

  expect(slackMessage(notification).blocks.map(({ type }) => type)).toEqual(['header']);
});

it.each(['info', 'warning', 'critical'] as const)(
  'reports the severity %s in words',
  (severity) => {
    const alert = JSON.stringify(slackMessage(withText({ severity })).blocks);
    const digest = slackMessage(digestOf('d1', [anAlert({ severity })]));

    expect(alert).toContain(`severity: ${severity}`);
    expect(digest.text).toContain(`1 ${severity}`);
  },
);
