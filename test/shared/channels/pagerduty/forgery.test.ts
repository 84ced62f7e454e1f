import { expect, it } from 'vitest';
import { pagerdutyEvent } from '#shared/channels/pagerduty/message.ts';
import { notificationSubject, notificationText } from '#shared/domain/alerting/notification.ts';
import { LINKS, linesIn, notifications, plainOf } from '#test/support/forgeries.ts';

const ours = LINKS.map(([host, url]) => ({ href: url, text: host }));

it('PagerDuty finds no link in it but ours, and no line that a person made', () => {
  for (const notification of notifications) {
    const { links, ...event } = pagerdutyEvent(notification);
    expect(links).toEqual(notification.kind === 'alert' ? ours : []);
    expect(event.payload.summary).toBe(notificationSubject(notification));
    expect(linesIn(event.payload.summary)).toBe(1);
    const { custom_details: details, ...rest } = event.payload;
    expect(details).toMatchObject({ text: notificationText(notification) });
    expect(linesIn(notificationText(notification))).toBe(
      linesIn(notificationText(plainOf(notification))),
    );
    const said = LINKS.reduce(
      (text, [, url]) => text.replaceAll(url, ''),
      JSON.stringify({ ...event, payload: rest, details }),
    );
    expect(said).not.toMatch(/:\/\/|evil\.example/);
  }
});
