import { expect, it } from 'vitest';
import { slackMessage } from '#shared/channels/slack/message.ts';
import type { Notification } from '#shared/domain/alerting/notification.ts';
import { anAlert } from '#test/support/builders.ts';
import { forgeries, linesIn } from '#test/support/forgeries.ts';

/** All texts of a message, in order. */
function textsIn(notification: Notification) {
  const { blocks, attachments } = slackMessage(notification);
  const behindBar = attachments[0].blocks.flatMap((block) => {
    if (block.type === 'image') return [];
    if (block.type === 'context') return block.elements;
    return 'fields' in block ? block.fields : [block.text];
  });
  return [...blocks.map(({ text }) => text), ...behindBar];
}
/** The name of a fact, in bold. */
const BOLD = /^\*.*\*$/;

it('starts no line in Slack with a name, label or source', () => {
  for (const { notification, plain } of forgeries) {
    const [slack, expected] = [notification, plain].map((some) =>
      textsIn(some).map(({ text }) => linesIn(text)),
    );
    expect(slack).toEqual(expected);
  }
});

it('Slack reads no name, label or note as a mention, a link or markup', () => {
  for (const { notification, plain } of forgeries) {
    expect(slackMessage(notification).text).not.toMatch(/[<>]|&(?!(amp|lt|gt);)/);
    const expected = textsIn(plain);
    textsIn(notification).forEach((shown, index) => {
      if (shown.type === 'plain_text') return;
      // The time and the links come from our code, not from names.
      if (shown.text === expected[index]?.text) return;
      expect(shown.text).toMatch(BOLD);
      expect(shown.text.slice(1, -1)).not.toMatch(/[*_~`:<>]|&(?!(amp|lt|gt);)/);
    });
  }
});

it('shows a name in bold in Slack, or as plain text if Slack would read it as markup', () => {
  const namesIn = (name: string) =>
    textsIn({
      kind: 'alert',
      alert: { ...anAlert({ facts: [{ name, value: '1 ETH' }] }), metric: null },
    }).slice(1, 2);

  expect(namesIn('Cats <3 <!channel>')).toMatchObject([
    { type: 'mrkdwn', text: '*Cats &lt;3 &lt;!channel&gt;*' },
  ]);
  expect(namesIn(':x: *bold*')).toMatchObject([{ type: 'plain_text', text: ':x: *bold*' }]);
});
