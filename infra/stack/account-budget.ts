import { createHash } from 'node:crypto';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { Construct } from 'constructs';
import type { Stage } from './stages.ts';

export type AccountBudgetProps = {
  readonly stage: Stage;
  /** The monthly AWS bill of the account, in dollars, at which operators are notified. */
  readonly dollars: number;
};

/** Thresholds in percent of the budget. */
const NOTIFICATIONS = [
  { notificationType: 'ACTUAL', threshold: 80 },
  { notificationType: 'FORECASTED', threshold: 100 },
];

/**
 * Emails operators when the account's spending approaches its monthly budget, or is forecast to
 * exceed it. The budget covers the whole account: AWS can attribute costs to one stack only after
 * somebody activates its cost allocation tags. Exceeding the budget stops nothing, because alerts
 * are worth more than they cost.
 */
export class AccountBudget extends Construct {
  constructor(scope: Construct, id: string, { stage, dollars }: AccountBudgetProps) {
    super(scope, id);
    const subscribers = stage.operatorEmails.map((address) => ({
      ...{ subscriptionType: 'EMAIL', address },
    }));
    // Budget names are unique in an account, and a change of notifications makes CloudFormation
    // create the new budget before it deletes the old one. A hash in the name makes the two names
    // differ.
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
