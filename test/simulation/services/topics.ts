import type { Endpoint } from '#shared/channels/channel-kind.ts';
import { endpointText } from '#shared/domain/channels/list-topic.ts';
import type { Subscriber, Subscriptions } from '#shared/domain/channels/subscriber.ts';
import { SECOND } from '#shared/domain/market/instant.ts';
import type { WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import type { Faults } from './faults.ts';
import type { Stream } from './streams.ts';
import type { Timeline } from './timeline.ts';

/** The SNS topics through which lists send emails. Subscribers confirm, and may unsubscribe. */
export type Topics = {
  readonly keepSubscribers: (
    list: WatchlistId,
    subscribers: readonly Subscriber[],
  ) => Subscriptions;
  /** Returns the removed endpoints whose subscription was confirmed. */
  readonly removeTopics: (list: WatchlistId, endpoints: readonly Endpoint[]) => readonly string[];
  /** Whether the topic exists. */
  readonly has: (list: WatchlistId, endpoint: Endpoint) => boolean;
};

export type TopicsWorld = {
  readonly timeline: Timeline;
  readonly faults: Faults;
  readonly schedule: Stream;
  readonly met: (what: 'confirmed subscription' | 'subscriber that unsubscribed') => void;
};

/** The subscription of a topic; undefined after its subscriber has unsubscribed. */
type Topic = { subscription: 'pending' | 'confirmed' | undefined };

export function createTopics({ timeline, faults, schedule, met }: TopicsWorld): Topics {
  const topics = new Map<string, Topic>();

  /** Subscribers follow the confirmation link after 20 seconds to 15 minutes. */
  const subscribe = (topic: Topic) => {
    topic.subscription = 'pending';
    timeline.at(timeline.now() + schedule.between(20, 900) * SECOND, () => {
      if (topic.subscription !== 'pending') return false;
      topic.subscription = 'confirmed';
      met('confirmed subscription');
      return false;
    });
  };

  return {
    has: (list, endpoint) => topics.has(pathOf(list, endpoint)),

    keepSubscribers: (list, subscribers) => {
      const states: [string, 'pending' | 'confirmed' | 'gone'][] = [];
      for (const { channel, ask, ...endpoint } of subscribers) {
        const path = pathOf(list, endpoint);
        const topic = topics.get(path) ?? { subscription: undefined };
        topics.set(path, topic);
        if (topic.subscription === 'confirmed' && faults.strikes('subscriberLeaves')) {
          met('subscriber that unsubscribed');
          topic.subscription = undefined;
        }
        if (topic.subscription === undefined && ask === 'now') subscribe(topic);
        if (topic.subscription !== undefined || ask !== 'later') {
          states.push([channel, topic.subscription ?? 'gone']);
        }
      }
      return new Map(states);
    },

    removeTopics: (list, endpoints) => {
      const confirmed = endpoints.filter(
        (endpoint) => topics.get(pathOf(list, endpoint))?.subscription === 'confirmed',
      );
      for (const endpoint of endpoints) {
        const topic = topics.get(pathOf(list, endpoint));
        if (topic !== undefined) topic.subscription = undefined;
        topics.delete(pathOf(list, endpoint));
      }
      return confirmed.map(({ endpoint }) => endpoint);
    },
  };
}

function pathOf({ tenant, id }: WatchlistId, endpoint: Endpoint): string {
  return `${tenant} ${id} ${endpointText(endpoint)}`;
}
