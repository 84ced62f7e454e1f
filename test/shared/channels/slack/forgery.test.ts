import { expect, it } from 'vitest';
import { slackMessage } from '#shared/channels/slack/message.ts';
import { LINKS, linesIn, notifications, plainOf } from '#test/support/forgeries.ts';

it('no name, label or source makes a line of its own', () => {
  for (const notification of notifications) {
    const [slack, expected] = [notification, plainOf(notification)].map((some) =>
      slackMessage(some).blocks.map((block) =>
        linesIn(block.type === 'context' ? block.elements[0]?.text : block.text.text),
      ),
    );
    expect(slack).toEqual(expected);
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
