import { Validations } from 'aws-cdk-lib';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Stage } from './stages.ts';

/**
 * Subscribes the operators to a topic by email. Each of them must confirm the subscription once.
 */
export function tellOperators(topic: Topic, { operatorEmails }: Stage): void {
  for (const email of operatorEmails) {
    Validations.of(topic.addSubscription(new EmailSubscription(email))).acknowledge({
      id: 'Serverless::Serverless-SNSRedrivePolicy',
      reason:
        'SNS retries an email for hours, and no function could forward it from a queue. The content of the email is also available elsewhere.',
    });
  }
}
