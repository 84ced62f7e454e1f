import {
  PublishCommand,
  paginateListSubscriptionsByTopic,
  type SNSClient,
} from '@aws-sdk/client-sns';
import { createListTopics } from './list-topics.ts';

/** A topic of alarms, and who gets them. */
export type OperatorTopic = {
  readonly name: string;
  readonly arn: string;
  readonly confirmed: readonly string[];
  /** Operators of the stage who get nothing: SNS waits for their confirmation, for two days at most. */
  readonly unconfirmed: readonly string[];
};

/** The two topics of a stage's alarms: of pages and of tickets. */
export type OperatorTopics = { readonly pages: OperatorTopic; readonly tickets: OperatorTopic };

/** Reads who has confirmed a stage's alarms; undefined where the stage has no such topics. */
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
      // SNS has words in the place of an ARN until a subscription is confirmed, and after it ended.
      (SubscriptionArn.startsWith('arn:') ? confirmed : pending).add(Endpoint);
    }
  }
  const unconfirmed = new Set([...emails, ...pending]).difference(confirmed);
  return { name, arn, confirmed: [...confirmed], unconfirmed: [...unconfirmed] };
}

/** Sends a test to all who get the pages of a stage. */
export async function sendTestPage(
  client: SNSClient,
  { arn }: OperatorTopic,
  stage: string,
): Promise<void> {
  await client.send(
    new PublishCommand({
      TopicArn: arn,
      Subject: `Test page of floorwatch ${stage}`,
      Message: `This is a test: somebody asked for it with npm run operate -- status --stage ${stage} --page. Alarms that cannot wait come from here. There is nothing to do.`,
    }),
  );
}
