import { expect, it } from 'vitest';
import { aStage, resourcesOf, synthesize } from '#test/infra/synthesized.ts';

const operatorEmails = ['ops@example.com', 'night@example.com'];
const budgetsOf = (more: Parameters<typeof aStage>[0]) =>
  Object.values(
    resourcesOf(synthesize(aStage({ operatorEmails, ...more })), 'AWS::Budgets::Budget'),
  );

it('sends each operator an email before the account costs more than a stage is meant to', () => {
  const [budget, ...others] = budgetsOf({ awsBudgetPerMonth: 20 });

  expect(others).toEqual([]);
  expect(budget?.Properties.Budget).toEqual({
    ...{ BudgetName: 'floorwatch-dev', BudgetType: 'COST', TimeUnit: 'MONTHLY' },
    BudgetLimit: { Amount: 20, Unit: 'USD' },
  });
  const Subscribers = operatorEmails.map((Address) => ({ SubscriptionType: 'EMAIL', Address }));
  const above = { ComparisonOperator: 'GREATER_THAN', ThresholdType: 'PERCENTAGE' };
  expect(budget?.Properties.NotificationsWithSubscribers).toEqual([
    { Notification: { ...above, NotificationType: 'ACTUAL', Threshold: 80 }, Subscribers },
    { Notification: { ...above, NotificationType: 'FORECASTED', Threshold: 100 }, Subscribers },
  ]);
});

it('is not there unless it is asked for', () => {
  expect(budgetsOf({})).toEqual([]);
});
