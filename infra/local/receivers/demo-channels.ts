import { DOUBLES } from '#shared/channels/doubles.ts';
import type { Receivers } from './start-receivers.ts';
import { CLOSED } from './webhook-double.ts';

/** A channel of each kind to a receiver on this machine. */
export function demoChannels({ webhookOrigin }: Receivers, webhookSecret: string, queue: string) {
  const secrets = [webhookSecret];
  return [
    { id: 'desk', kind: 'email', to: 'desk@floorwatch.example' },
    ...Object.values(DOUBLES).map(({ channel }) => channel),
    { id: 'queue', kind: 'sqs', queue },
    { id: 'bot', kind: 'webhook', url: `${webhookOrigin}/alerts`, secrets },
    // Answers after some alerts that nothing is wanted any more, and is turned off.
    { id: 'closed', kind: 'webhook', url: `${webhookOrigin}${CLOSED}`, secrets },
  ];
}
