import { expect, it } from 'vitest';
import { pagerdutyEvent } from '#shared/channels/pagerduty/message.ts';
import { notificationTitle } from '#shared/domain/alerting/notification.ts';
import { LINKS, linesIn, notifications, plainOf } from '#test/support/forgeries.ts';

const ours = LINKS.map(([host, url]) => ({ href: url, text: host }));

it('PagerDuty finds no link in it but ours, and no line that a person made', () => {
  for (const notification of notifications) {
    const { links, ...event } = pagerdutyEvent(notification);
    expect(links).toEqual(notification.kind === 'alert' ? ours : []);
    expect(event.payload.summary).toBe(notificationTitle(notification));
    expect(linesIn(event.payload.summary)).toBe(1);
    const [details, expected] = [event, pagerdutyEvent(plainOf(notification))].map(({ payload }) =>
      Object.entries(payload.custom_details).map(([name, value]) => [name, linesIn(value)]),
    );
    expect(details).toEqual(expected);
    expect(JSON.stringify(event)).not.toMatch(/:\/\/|evil\.example/);
  }
});
