import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import { SSMClient } from '@aws-sdk/client-ssm';
import { type CanaryReturn, lastReturn } from '#infra/operate/canary/last-return.ts';
import { type CloudStacks, createCloudStacks } from './cloud-stacks.ts';
import { concurrencyLimit } from './concurrency-limit.ts';
import { type EmailSending, emailSending } from './email-sending.ts';
import { createListTopics, type ListTopics } from './list-topics.ts';
import {
  type OperatorTopic,
  type OperatorTopics,
  readOperatorTopics,
  sendTestPage,
} from './operator-topics.ts';
import { createSecureStrings, type SecureStrings } from './secure-strings.ts';
import { createStageTables, type StageTables } from './stage-tables.ts';

/** An AWS account in one region, with the credentials of the environment. */
export type Account = {
  readonly stacks: CloudStacks;
  readonly topics: ListTopics;
  readonly secrets: SecureStrings;
  readonly tables: StageTables;
  readonly concurrencyLimit: () => Promise<number>;
  readonly emailSending: (sender: string) => Promise<EmailSending>;
  /** The subscribers of a stage's alarms; undefined while the stage lacks the topics. */
  readonly operatorTopics: (
    stage: string,
    emails: readonly string[],
  ) => Promise<OperatorTopics | undefined>;
  readonly sendTestPage: (stage: string, topic: OperatorTopic) => Promise<void>;
  /**
   * The time at which a message of the stage's canary last returned; undefined if the stage has no
   * queue for it.
   */
  readonly lastReturn: (stage: string) => Promise<CanaryReturn | undefined>;
  readonly dynamodb: DynamoDBClient;
  readonly sqs: SQSClient;
};

/**
 * Eight attempts suffice for an import, or the status of a large table, to succeed in spite of
 * throttling.
 */
const MOST_ATTEMPTS = 8;

/** Opens the account; if no region is given, the clients use the region in the environment. */
export function openAccount(given: string | undefined): Account {
  const region = given === undefined ? {} : { region: given };
  const dynamodb = new DynamoDBClient({ maxAttempts: MOST_ATTEMPTS, ...region });
  const sns = new SNSClient(region);
  const sqs = new SQSClient({ useQueueUrlAsEndpoint: false, ...region });
  return {
    stacks: createCloudStacks(new CloudFormationClient(region)),
    topics: createListTopics(sns),
    secrets: createSecureStrings(new SSMClient(region)),
    tables: createStageTables(dynamodb),
    concurrencyLimit: () => concurrencyLimit(new LambdaClient(region)),
    emailSending: (sender) => emailSending(new SESv2Client(region), sender),
    operatorTopics: (stage, emails) => readOperatorTopics(sns, stage, emails),
    sendTestPage: (stage, topic) => sendTestPage(sns, topic, stage),
    lastReturn: (stage) => lastReturn(sqs, stage),
    ...{ dynamodb, sqs },
  };
}
