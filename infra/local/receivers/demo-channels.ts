import { DOUBLES } from '#shared/channels/doubles.ts';
import type { Receivers } from './start-receivers.ts';
import { CLOSED } from './webhook-double.ts';

/** Channels that send to receivers on this machine: a few, or one of each kind for the tour. */
export function demoChannels(
  { webhookOrigin }: Receivers,
  webhookSecret: string,
  queue: string,
  tour: boolean,
) {
  const secrets = [webhookSecret];
  const { slack, discord, telegram } = DOUBLES;
  const chats = tour ? Object.values(DOUBLES) : [slack, discord, telegram];
  return [
    { id: 'desk', kind: 'email', to: 'desk@floorwatch.example' },
    ...chats.map(({ channel }) => channel),
    { id: 'queue', kind: 'sqs', queue },
    { id: 'bot', kind: 'webhook', url: `${webhookOrigin}/alerts`, secrets },
    // Responds with 410 Gone after some alerts, which turns the channel off.
    ...(tour ? [{ id: 'closed', kind: 'webhook', url: `${webhookOrigin}${CLOSED}`, secrets }] : []),
  ];
}
