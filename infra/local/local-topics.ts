import type { AlertTopics, AlertTopicsSettings } from '#shared/clients/alert-topics.ts';
import type { Notification } from '#shared/domain/alerting/notification.ts';
import { topicName } from '#shared/domain/channels/list-topic.ts';
import type { Subscriber } from '#shared/domain/channels/subscriber.ts';

type Endpoint = Pick<Subscriber, 'protocol' | 'endpoint'>;

/** Delivers a message of a topic to one endpoint; undefined for the topic of the operators. */
type Deliver = (notification: Notification, endpoint: Endpoint | undefined) => Promise<void>;

/** A topic with its single endpoint. */
type KeptTopic = Endpoint & { readonly arn: string };

/** The stored topics, which outlive a process. */
export type KeptTopics = {
  readonly all: () => readonly KeptTopic[];
  readonly add: (topic: KeptTopic) => void;
  readonly remove: (arn: string) => void;
};

export const NO_TOPICS: KeptTopics = { all: () => [], add: () => {}, remove: () => {} };

/** In-memory topics. The endpoint of a topic is subscribed without a confirmation. */
export function createLocalTopics(
  deliver: Deliver,
  kept = NO_TOPICS,
): (settings: AlertTopicsSettings) => AlertTopics {
  const subscribed = new Map<string, Endpoint>(kept.all().map((topic) => [topic.arn, topic]));
  const subscribe = (topic: KeptTopic) => {
    subscribed.set(topic.arn, topic);
    kept.add(topic);
  };
  const remove = (arn: string) => {
    kept.remove(arn);
    return subscribed.delete(arn);
  };
  return ({ stackTopicArn, prefix }) => {
    const topicOf: AlertTopics['topicOf'] = (list, endpoint) =>
      `${stackTopicArn.slice(0, stackTopicArn.lastIndexOf(':'))}:${topicName(prefix, list, endpoint)}`;
    return {
      topicOf,

      publishToStack: (notification) => deliver(notification, undefined),

      publishToChannel: async (list, subscriber, notification) => {
        const endpoint = subscribed.get(topicOf(list, subscriber));
        if (endpoint === undefined) return 'no_topic';
        await deliver(notification, endpoint);
        return 'accepted';
      },

      hasTopic: async (list, endpoint) => subscribed.has(topicOf(list, endpoint)),

      keepSubscribers: async (list, subscribers) => {
        for (const { protocol, endpoint, ask } of subscribers) {
          if (ask !== 'now') continue;
          subscribe({ arn: topicOf(list, { protocol, endpoint }), protocol, endpoint });
        }
        const states = new Map<string, 'confirmed' | 'gone'>();
        for (const one of subscribers) {
          if (subscribed.has(topicOf(list, one))) states.set(one.channel, 'confirmed');
          else if (one.ask === 'never') states.set(one.channel, 'gone');
        }
        return states;
      },

      removeTopics: async (list, endpoints) =>
        endpoints.filter((one) => remove(topicOf(list, one))).map(({ endpoint }) => endpoint),

      // Subscriptions need no confirmation here, so no token is valid.
      confirm: async () => undefined,
    };
  };
}
