import { ListSubscriptionsByTopicCommand, type SNSClient } from '@aws-sdk/client-sns';
import type { Publication } from '#infra/local/runtime/engines.ts';
import type { PostedKind } from '#shared/channels/kinds.ts';

/** A received message as its reader sees it. */
export type Notification = Delivery & { readonly at: string };

export type Delivery =
  | {
      readonly kind: 'email';
      readonly to: string;
      readonly subject: string;
      readonly text: string;
      /** Of one that SES has sent, what is shown of it, and what ends the subscription. */
      readonly html?: string;
      readonly unsubscribe?: string | undefined;
    }
  | {
      readonly kind: PostedKind | 'sqs';
      /** The address, without what is secret of it. */
      readonly to: string;
      /** What it says in one line. */
      readonly subject: string;
      readonly message: unknown;
      /** The message that it is written into. */
      readonly edits?: string;
    };

/** What was delivered on this machine, newest last. */
export type Mailbox = {
  readonly notifications: () => readonly Notification[];
  readonly deliver: (delivery: Delivery) => void;
  /** Delivers a topic's message to each address that is subscribed to the topic. */
  readonly receive: (publication: Publication, sns: SNSClient) => Promise<void>;
};

export function createMailbox(
  now: () => number,
  onNotification: (notification: Notification) => void,
  capacity = 1000,
): Mailbox {
  const notifications: Notification[] = [];
  const deliver = (delivery: Delivery) => {
    const notification = { ...delivery, at: new Date(now()).toISOString() };
    notifications.push(notification);
    if (notifications.length > capacity) notifications.shift();
    onNotification(notification);
  };

  return {
    notifications: () => notifications,
    deliver,
    receive: async ({ topicArn, subject = 'AWS Notification Message', messages }, sns) => {
      const asked = new ListSubscriptionsByTopicCommand({ TopicArn: topicArn });
      const { Subscriptions = [] } = await sns.send(asked);
      for (const { Protocol, Endpoint: to = '' } of Subscriptions) {
        if (Protocol !== 'email') continue;
        deliver({ kind: 'email', to, subject, text: messages.email ?? messages.default });
      }
    },
  };
}
