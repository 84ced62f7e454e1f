import { expect, it } from 'vitest';
import { measuredEvents } from '#functions/deliver-messages/measured-events.ts';

it('measures alerts that nobody will get', () => {
  const measured: unknown[] = [];
  const events = measuredEvents((...what) => measured.push(what));

  events.alerts_given_up({ alerts: 3 });

  expect(measured).toEqual([['AlertsGivenUp', 3]]);
});
