import { createHash } from 'node:crypto';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { Construct } from 'constructs';
import type { Stage } from './stages.ts';

export type AccountBudgetProps = {
  readonly stage: Stage;
  /** What AWS may bill the account in a month, in dollars. */
  readonly dollars: number;
};

/** In percent of the budget. */
const NOTIFICATIONS = [
  { notificationType: 'ACTUAL', threshold: 80 },
  { notificationType: 'FORECASTED', threshold: 100 },
];

/**
 * Sends operators an email when the account has cost most of its budget, or will. AWS knows what a
 * stack alone costs only after somebody has activated its tags, so it is the budget of the account. It
 * ends nothing: alerts are worth more than what they cost.
 */
export class AccountBudget extends Construct {
  constructor(scope: Construct, id: string, { stage, dollars }: AccountBudgetProps) {
    super(scope, id);
    const subscribers = stage.operatorEmails.map((address) => ({
      ...{ subscriptionType: 'EMAIL', address },
    }));
    // CloudFormation makes another budget for other notifications, before it deletes the former, and
    // names are those of the account.
    const said = JSON.stringify([stage.deployedTo?.region, subscribers, NOTIFICATIONS]);
    const hash = createHash('sha256').update(said).digest('hex');
    new CfnBudget(this, 'Budget', {
      budget: {
        budgetName: `floorwatch-${stage.name}-${hash.slice(0, 8)}`,
        budgetType: 'COST',
        timeUnit: 'MONTHLY',
        budgetLimit: { amount: dollars, unit: 'USD' },
      },
      notificationsWithSubscribers: NOTIFICATIONS.map((notification) => ({
        notification: {
          ...notification,
          ...{ comparisonOperator: 'GREATER_THAN', thresholdType: 'PERCENTAGE' },
        },
        subscribers,
      })),
    });
  }
}
