import { createHash } from 'node:crypto';
import {
  CreateTopicCommand,
  DeleteTopicCommand,
  ListSubscriptionsByTopicCommand,
  PublishCommand,
  type SNSClient,
  SubscribeCommand,
  type Subscription,
  UnsubscribeCommand,
} from '@aws-sdk/client-sns';
import type { Alert } from '#shared/domain/alerting/alert.ts';
import { alertSubject } from '#shared/domain/alerting/alert-text.ts';
import type { WatchlistId } from '#shared/domain/watching/watchlist.ts';

/** Where alerts are published: the stack's own topic, and one for each list with subscribers. */
export type AlertTopics = {
  readonly publishToStack: (alert: Alert) => Promise<void>;
  /** Rejects when the list has no topic. */
  readonly publishToList: (list: WatchlistId, alert: Alert) => Promise<void>;
  /**
   * Makes the list's topic have these subscribers and no others; none at all removes it. Tells
   * whether somebody else could still confirm: nobody can be taken off before they have.
   */
  readonly subscribeToList: (
    list: WatchlistId,
    emails: readonly string[],
  ) => Promise<{ readonly strangersMayConfirm: boolean }>;
};

export type AlertTopicsSettings = {
  readonly stackTopicArn: string;
  /** What the names of topics made at run time begin with. */
  readonly prefix: string;
};

export function createAlertTopics(
  client: SNSClient,
  { stackTopicArn, prefix }: AlertTopicsSettings,
): AlertTopics {
  const nameOf = ({ tenant, id }: WatchlistId) => `${prefix}${hash(`${tenant} ${id}`)}`;
  const arnOf = (list: WatchlistId) =>
    `${stackTopicArn.slice(0, stackTopicArn.lastIndexOf(':'))}:${nameOf(list)}`;
  const publish = async (topicArn: string, alert: Alert) => {
    await client.send(new PublishCommand({ TopicArn: topicArn, ...messageOf(alert) }));
  };

  return {
    publishToStack: (alert) => publish(stackTopicArn, alert),

    publishToList: (list, alert) => publish(arnOf(list), alert),

    subscribeToList: async (list, emails) => {
      if (emails.length === 0) {
        await client.send(new DeleteTopicCommand({ TopicArn: arnOf(list) }));
        return { strangersMayConfirm: false };
      }
      await client.send(new CreateTopicCommand({ Name: nameOf(list) }));
      const known = await emailSubscriptions(client, arnOf(list));
      for (const email of emails) {
        if (known.some(({ Endpoint }) => Endpoint === email)) continue;
        await client.send(
          new SubscribeCommand({ TopicArn: arnOf(list), Protocol: 'email', Endpoint: email }),
        );
      }
      const strangers = known.filter(
        ({ Endpoint }) => Endpoint === undefined || !emails.includes(Endpoint),
      );
      const confirmed = strangers.filter(({ SubscriptionArn }) =>
        SubscriptionArn?.startsWith('arn:'),
      );
      for (const { SubscriptionArn } of confirmed) {
        await client.send(new UnsubscribeCommand({ SubscriptionArn }));
      }
      return { strangersMayConfirm: confirmed.length < strangers.length };
    },
  };
}

/** One message in the forms that people and programs get: text for emails, JSON for queues. */
function messageOf(alert: Alert) {
  return {
    Subject: subjectLine(alertSubject(alert)),
    MessageStructure: 'json',
    Message: JSON.stringify({
      default: alert.text,
      email: `${alert.text}\n`,
      sqs: JSON.stringify(alert),
    }),
    MessageAttributes: {
      kind: { DataType: 'String', StringValue: alert.kind },
      severity: { DataType: 'String', StringValue: alert.severity },
      tenant: { DataType: 'String', StringValue: alert.tenant },
      watchlist: { DataType: 'String', StringValue: alert.watchlist },
    },
  };
}

/** SNS takes printable ASCII, at most 100 characters, beginning with a letter, digit or mark. */
function subjectLine(text: string): string {
  const ascii = text
    .normalize('NFKD')
    .replaceAll('…', '...')
    .replace(/[^\x20-\x7e]/g, '')
    .trim();
  return (ascii.length > 100 ? `${ascii.slice(0, 97)}...` : ascii) || 'floorwatch alert';
}

async function emailSubscriptions(
  client: SNSClient,
  topicArn: string,
): Promise<readonly Subscription[]> {
  const found: Subscription[] = [];
  let token: string | undefined;
  do {
    const page = await client.send(
      new ListSubscriptionsByTopicCommand({ TopicArn: topicArn, NextToken: token }),
    );
    found.push(...(page.Subscriptions ?? []));
    token = page.NextToken;
  } while (token !== undefined && token !== '');
  return found.filter(({ Protocol }) => Protocol === 'email');
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
