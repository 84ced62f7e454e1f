import { composeDeliverMessages } from '#functions/deliver-messages/compose.ts';
import { deliverMessages } from '#functions/deliver-messages/deliver-messages.ts';
import type { DeliverMessagesPorts } from '#functions/deliver-messages/ports.ts';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import type { Channel } from '#shared/channels/channel.ts';
import type { Destination } from '#shared/channels/destination.ts';
import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import type { Notification } from '#shared/domain/alerting/notification.ts';
import type { ChatAnswer } from '#shared/domain/channels/chat-answer.ts';
import { channelDestinationId } from '#shared/domain/channels/destination-id.ts';
import { formatInstant, SECOND } from '#shared/domain/market/instant.ts';
import { createAlertStore } from '#shared/stores/alert-store.ts';
import { createChannelStore } from '#shared/stores/channel-store.ts';
import { createInboxStore } from '#shared/stores/inbox-store.ts';
import { createJobStore } from '#shared/stores/job-store.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import { postAlerts } from '#shared/use-cases/post-alerts.ts';
import { anAlert, aWatchlist, NOON } from './builders.ts';
import { anOutside } from './outside.ts';

const LIST = { tenant: 'acme', id: 'punks' };
export const DESK = channelDestinationId(LIST, 'desk');
export const QUEUE = channelDestinationId(LIST, 'queue');
const { signal } = new AbortController();

const channels: readonly Channel[] = [
  { id: 'desk', kind: 'email', to: 'desk@example.com' },
  { id: 'queue', kind: 'sqs', queue: 'arn:aws:sqs:eu-west-1:123456789012:alerts' },
];

/**
 * The channels of a list over a table in memory; the test decides how each notification is
 * answered.
 */
export async function deliveryWorld(given: object = {}) {
  const table = createMemoryTable();
  const alerts = createAlertStore(table);
  const records = createChannelStore(table);
  const inbox = createInboxStore(table);
  const watchlists = createWatchlistStore(table);
  const jobs = createJobStore(table);
  const list = aWatchlist({ channels, ...given });
  await watchlists.put(list);
  const notifications: Notification[] = [];
  const intent: DestinationId[] = [];
  const state = {
    now: NOON,
    remaining: 30_000,
    answer: (_notification: Notification, _destination: Destination): ChatAnswer => ({
      kind: 'sent',
    }),
    proof: { kind: 'sent' } as ChatAnswer,
    challenges: 0,
  };
  const composed = composeDeliverMessages(
    anOutside({
      table: () => table,
      now: () => state.now,
      uniqueNumber: () => state.now,
      sleepUntil: async (instant) => {
        state.now = Math.max(state.now, instant);
      },
    }),
  );
  const ports: DeliverMessagesPorts = {
    ...composed.ports,
    remainingTime: () => state.remaining,
    stackSlack: 'on',
    messageLinks: async (alert, { rule, channel }) => ({
      chart: `${alert.id} of ${rule?.id}`,
      actions: `${alert.id} for ${channel}`,
    }),
    send: async (destination, notification) => {
      const answer = state.answer(notification, destination);
      if (answer.kind === 'sent') notifications.push(notification);
      return answer;
    },
    prove: async () => {
      state.challenges += 1;
      return state.proof;
    },
    sendToChannels: async (messages) => {
      intent.push(...messages.map(({ message }) => message.destinationId));
    },
  };
  const deliver = (destinationId: DestinationId = DESK) =>
    deliverMessages(ports, { destinationId }, signal);
  return {
    ...{
      table,
      list,
      ports,
      state,
      notifications,
      intent,
      records,
      inbox,
      watchlists,
      jobs,
      deliver,
    },

    /** Posts a number of alerts, a second apart. */
    post: async (count: number, destinationIds: readonly DestinationId[] = [DESK], first = 0) => {
      const made = Array.from({ length: count }, (_, index) => numbered(first + index));
      await postAlerts(ports, made, destinationIds);
      intent.length = 0;
    },

    deliveryOf: async (number: number, destinationId: DestinationId = DESK) =>
      (await alerts.get(numbered(number)))?.deliveries[destinationId],

    waiting: async (destinationId: DestinationId = DESK) =>
      (await inbox.oldest(destinationId, 2000)).length,

    /** Advances the time to the timer of the destination. */
    comeDue: async (destinationId: DestinationId = DESK) => {
      state.now = Math.max(state.now, (await records.get(destinationId))?.dueAt ?? Number.NaN);
      await deliver(destinationId);
    },
  };
}

export function numbered(number: number) {
  return anAlert({
    id: `a.1.${number}`,
    at: formatInstant(NOON + number * SECOND),
    title: `alert ${number}`,
  });
}

/** The sent notifications, as `a.1.0` or `3 at once`. */
export const sent = (notifications: readonly Notification[]) =>
  notifications.map((notification) =>
    notification.kind === 'alert' ? notification.alert.id : `${notification.count} at once`,
  );
