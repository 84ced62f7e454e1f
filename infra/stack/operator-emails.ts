import { Validations } from 'aws-cdk-lib';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Stage } from './stages.ts';

/** Has the operators get by email what is published; SNS asks each of them to confirm it once. */
export function tellOperators(topic: Topic, { operatorEmails }: Stage): void {
  for (const email of operatorEmails) {
    Validations.of(topic.addSubscription(new EmailSubscription(email))).acknowledge({
      id: 'Serverless::Serverless-SNSRedrivePolicy',
      reason:
        'SNS retries an email for hours, and nothing could forward it from a queue. Its content can be read elsewhere, too.',
    });
  }
}
