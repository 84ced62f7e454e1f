import { expect, it } from 'vitest';
import { pagerdutyEvent } from '#shared/channels/pagerduty/message.ts';
import { notificationTitle } from '#shared/domain/alerting/notification.ts';
import { forgeries, linesIn } from '#test/support/forgeries.ts';

/** Reports are not included: they are only for people, and PagerDuty counts as a program. */
const sent = forgeries.filter(
  ({ notification }) => notification.kind === 'digest' || notification.alert.kind !== 'report',
);

it('PagerDuty shows only our links, and no name starts a line', () => {
  for (const { notification, plain } of sent) {
    const { links, ...event } = pagerdutyEvent(notification);
    const expected = pagerdutyEvent(plain);
    expect(links).toEqual(expected.links);
    expect(event.payload.summary).toBe(notificationTitle(notification));
    expect(linesIn(event.payload.summary)).toBe(1);
    const [details, same] = [event, expected].map(({ payload }) =>
      Object.entries(payload.custom_details).map(([name, value]) => [name, linesIn(value)]),
    );
    expect(details).toEqual(same);
    expect(JSON.stringify(event)).not.toMatch(/:\/\/|evil\.example/);
  }
});
