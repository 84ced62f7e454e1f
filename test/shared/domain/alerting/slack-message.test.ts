import { expect, it } from 'vitest';
import { alertText } from '#shared/domain/alerting/alert-text.ts';
import { slackMessage } from '#shared/domain/alerting/slack-message.ts';
import { anAlert } from '#test/support/builders.ts';

const withText = (given: Parameters<typeof anAlert>[0] = {}, label?: string) => {
  const alert = anAlert(given);
  return { ...alert, text: alertText(alert, { label, condition: 'at or below 60 ETH' }) };
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
          text: 'Was: 61.25 ETH, −2.2 %\nIn dollars: $181,000.12\nRule: at or below 60 ETH\nAs of: 2026-11-21T12:00:00.000Z\nSource: opensea',
          emoji: false,
        },
      },
      {
        type: 'context',
        elements: [
          {
            type: 'plain_text',
            text: 'Contract: eth:0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb\nWatchlist: punks, rule: floor-60, severity: warning\nAlert: 0123456789abcdef0123.1.1',
            emoji: false,
          },
        ],
      },
    ],
  });
});

it('gives a name no power: no mention, no link, no markup', () => {
  const message = slackMessage(withText({ name: '<!channel> & <https://x.example|*y*>' }));

  const [header] = message.blocks;
  expect(message.text).toMatch(
    /^&lt;!channel&gt; &amp; &lt;https:\/\/x\.example\|\*y\*&gt;: floor/,
  );
  expect(header).toMatchObject({ text: { type: 'plain_text' } });
  expect(JSON.stringify(message.blocks)).not.toContain('mrkdwn');
});

it("stays within Slack's limits, and cuts no character in half", () => {
  const message = slackMessage(withText({ name: '🦍'.repeat(200), source: '🦍'.repeat(4000) }));

  const [header, section] = message.blocks.flatMap((block) =>
    'text' in block ? [block.text.text] : [],
  );
  expect([...(header ?? '')]).toHaveLength(150);
  expect([...(section ?? '')]).toHaveLength(3000);
  expect(`${header}${section}`.isWellFormed()).toBe(true);
  expect([header?.at(-1), section?.at(-1)]).toEqual(['…', '…']);
});

it('shows an expired rule, which has no contract, in the same three blocks', () => {
  const message = slackMessage(withText({ kind: 'expired', contract: null, name: null }));

  expect(message.blocks.map(({ type }) => type)).toEqual(['header', 'section', 'context']);
  expect(JSON.stringify(message.blocks)).not.toContain('"text":""');
});
