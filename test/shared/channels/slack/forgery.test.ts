import { expect, it } from 'vitest';
import { slackMessage } from '#shared/channels/slack/message.ts';
import type { Notification } from '#shared/domain/alerting/notification.ts';
import { LINKS, linesIn, notifications, plainOf } from '#test/support/forgeries.ts';

/** All texts of a message, in their order. */
function textsIn(notification: Notification) {
  const { blocks, attachments } = slackMessage(notification);
  const behindBar = attachments[0].blocks.flatMap((block) => {
    if (block.type === 'image') return [];
    if (block.type === 'context') return block.elements;
    return 'fields' in block ? block.fields : [block.text];
  });
  return [...blocks.map(({ text }) => text), ...behindBar];
}
const markupIn = (notification: Notification) =>
  textsIn(notification).filter(({ type }) => type === 'mrkdwn');

it('no name, label or source makes a line of its own', () => {
  for (const notification of notifications) {
    const [slack, expected] = [notification, plainOf(notification)].map((some) =>
      textsIn(some).map(({ text }) => linesIn(text)),
    );
    expect(slack).toEqual(expected);
  }
});

it('Slack reads nothing of it as a mention, a link or markup', () => {
  for (const notification of notifications) {
    expect(slackMessage(notification).text).not.toMatch(/[<>]|&(?!(amp|lt|gt);)/);
    // What is markup is the same whatever people call things: the names of facts, and our links.
    expect(markupIn(notification)).toEqual(markupIn(plainOf(notification)));
  }
  const [alert = ''] = notifications.slice(0, 1).flatMap((notification) =>
    markupIn(notification)
      .slice(-1)
      .map(({ text }) => text),
  );
  expect(alert).toMatch(/^<!date/);
  for (const [host, url] of LINKS) expect(alert).toContain(`<${url}|${host}>`);
});
