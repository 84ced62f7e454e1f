import { expect, it } from 'vitest';
import { measuredEvents } from '#functions/deliver-messages/measured-events.ts';
import type { DestinationId } from '#shared/domain/channels/destination-id.ts';

it.each<{ destinationId: DestinationId; metrics: readonly string[] }>([
  { destinationId: 'stack-slack', metrics: ['AlertsGivenUp', 'OperatorAlertsGivenUp'] },
  { destinationId: 'stack-topic', metrics: ['AlertsGivenUp', 'OperatorAlertsGivenUp'] },
  { destinationId: 'acme#apes#desk', metrics: ['AlertsGivenUp'] },
])('measures alerts that $destinationId will not get as $metrics', (example) => {
  const measured: unknown[] = [];
  const events = measuredEvents((...what) => measured.push(what));

  events.alerts_given_up({ destinationId: example.destinationId, alerts: 3 });

  expect(measured).toEqual(example.metrics.map((metric) => [metric, 3]));
});
