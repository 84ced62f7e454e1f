import type { Subscriber, Subscriptions } from '#shared/domain/channels/subscriber.ts';
import { SECOND } from '#shared/domain/market/instant.ts';
import type { WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import type { Faults } from './faults.ts';
import type { Stream } from './streams.ts';
import type { Timeline } from './timeline.ts';

/** The topics of lists, as SNS keeps them for emails: somebody confirms, and may leave. */
export type Topics = {
  readonly keepSubscribers: (
    list: WatchlistId,
    subscribers: readonly Subscriber[],
  ) => Subscriptions;
  /** Whether there is anything to publish to. */
  readonly has: (list: WatchlistId) => boolean;
};

export type TopicsWorld = {
  readonly timeline: Timeline;
  readonly faults: Faults;
  readonly schedule: Stream;
  readonly met: (what: 'confirmed subscription' | 'subscriber that left') => void;
};

/** By its endpoint, whether a subscription is confirmed. */
type Topic = Map<string, 'pending' | 'confirmed'>;

export function createTopics({ timeline, faults, schedule, met }: TopicsWorld): Topics {
  const topics = new Map<string, Topic>();

  /** People follow the link after a while; hardly anybody at once. */
  const subscribe = (topic: Topic, endpoint: string) => {
    topic.set(endpoint, 'pending');
    timeline.at(timeline.now() + schedule.between(20, 900) * SECOND, () => {
      if (topic.get(endpoint) !== 'pending') return false;
      topic.set(endpoint, 'confirmed');
      met('confirmed subscription');
      return false;
    });
  };

  return {
    has: (list) => topics.has(pathOf(list)),

    keepSubscribers: (list, subscribers) => {
      if (subscribers.length === 0) {
        topics.delete(pathOf(list));
        return { states: new Map(), strangersMayConfirm: false, left: [] };
      }
      const topic: Topic = topics.get(pathOf(list)) ?? new Map();
      topics.set(pathOf(list), topic);
      const states: [string, 'pending' | 'confirmed' | 'gone'][] = [];
      for (const { channel, endpoint, ask } of subscribers) {
        if (topic.get(endpoint) === 'confirmed' && faults.strikes('subscriberLeaves')) {
          met('subscriber that left');
          topic.delete(endpoint);
        }
        if (!topic.has(endpoint) && ask === 'now') subscribe(topic, endpoint);
        if (topic.has(endpoint) || ask !== 'later') {
          states.push([channel, topic.get(endpoint) ?? 'gone']);
        }
      }
      const strangers = [...topic.keys()].filter(
        (endpoint) => !subscribers.some((subscriber) => subscriber.endpoint === endpoint),
      );
      const left = strangers.filter((endpoint) => topic.get(endpoint) === 'confirmed');
      for (const endpoint of left) topic.delete(endpoint);
      return {
        states: new Map(states),
        strangersMayConfirm: strangers.some((endpoint) => topic.has(endpoint)),
        left,
      };
    },
  };
}

function pathOf({ tenant, id }: WatchlistId): string {
  return `${tenant} ${id}`;
}
