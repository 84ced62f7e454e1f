import {
  PublishCommand,
  paginateListSubscriptionsByTopic,
  type SNSClient,
} from '@aws-sdk/client-sns';
import { createListTopics } from './list-topics.ts';

/** A topic of alarms with its subscribers. */
export type OperatorTopic = {
  readonly name: string;
  readonly arn: string;
  readonly confirmed: readonly string[];
  /**
   * Operators who get no alarms, because they have not confirmed the subscription. SNS drops the
   * request to confirm after two days.
   */
  readonly unconfirmed: readonly string[];
};

/** The two topics of a stage's alarms, for pages and for tickets. */
export type OperatorTopics = { readonly pages: OperatorTopic; readonly tickets: OperatorTopic };

/** Reads the subscribers of a stage's alarms; undefined if the stage has no such topics. */
export async function readOperatorTopics(
  client: SNSClient,
  stage: string,
  emails: readonly string[],
): Promise<OperatorTopics | undefined> {
  const [pages, tickets] = await Promise.all(
    ['alarms', 'tickets'].map((what) =>
      readTopic(client, `${what}-of-floorwatch-${stage}`, emails),
    ),
  );
  return pages === undefined || tickets === undefined ? undefined : { pages, tickets };
}

async function readTopic(
  client: SNSClient,
  name: string,
  emails: readonly string[],
): Promise<OperatorTopic | undefined> {
  const named = await createListTopics(client).named(name);
  const arn = named.find((found) => found.endsWith(`:${name}`));
  if (arn === undefined) return undefined;
  const confirmed = new Set<string>();
  const pending = new Set<string>();
  for await (const { Subscriptions = [] } of paginateListSubscriptionsByTopic(
    { client },
    { TopicArn: arn },
  )) {
    for (const { Endpoint = '', SubscriptionArn = '' } of Subscriptions) {
      // Before the confirmation and after the end of a subscription, SNS returns a word such as
      // `PendingConfirmation` instead of an ARN.
      (SubscriptionArn.startsWith('arn:') ? confirmed : pending).add(Endpoint);
    }
  }
  const unconfirmed = new Set([...emails, ...pending]).difference(confirmed);
  return { name, arn, confirmed: [...confirmed], unconfirmed: [...unconfirmed] };
}

/** Sends a test message to the topic of a stage's urgent alarms (pages). */
export async function sendTestPage(
  client: SNSClient,
  { arn }: OperatorTopic,
  stage: string,
): Promise<void> {
  await client.send(
    new PublishCommand({
      TopicArn: arn,
      Subject: `Test page from floorwatch ${stage}`,
      Message: `This is a test, requested with npm run operate -- status --stage ${stage} --page. No action is needed. Alarms that need action now are sent from this address.`,
    }),
  );
}
