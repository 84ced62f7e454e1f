import { expect, it } from 'vitest';
import { measuredEvents } from '#functions/deliver-messages/measured-events.ts';

it('alerts that were given up are counted in the metric AlertsGivenUp', () => {
  const measured: unknown[] = [];
  const events = measuredEvents((...what) => measured.push(what));

  events.alerts_given_up({ alerts: 3 });

  expect(measured).toEqual([['AlertsGivenUp', 3]]);
});

it('each message writes its number of late alerts to the metric AlertsLate, even if that number is zero', () => {
  const measured: unknown[] = [];
  const events = measuredEvents((...what) => measured.push(what));

  events.message_sent({ alerts: 3, late: 0 });
  events.message_accepted({ alerts: 2, late: 1 });

  expect(measured).toEqual([
    ['AlertsDelivered', 3],
    ['AlertsLate', 0],
    ['AlertsDelivered', 2],
    ['AlertsLate', 1],
  ]);
});
