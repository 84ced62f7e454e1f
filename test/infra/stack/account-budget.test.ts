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
    ...{ BudgetName: expect.stringMatching(/^floorwatch-dev-[0-9a-f]{8}$/) },
    ...{ BudgetType: 'COST', TimeUnit: 'MONTHLY' },
    BudgetLimit: { Amount: 20, Unit: 'USD' },
  });
  const Subscribers = operatorEmails.map((Address) => ({ SubscriptionType: 'EMAIL', Address }));
  const above = { ComparisonOperator: 'GREATER_THAN', ThresholdType: 'PERCENTAGE' };
  expect(budget?.Properties.NotificationsWithSubscribers).toEqual([
    { Notification: { ...above, NotificationType: 'ACTUAL', Threshold: 80 }, Subscribers },
    { Notification: { ...above, NotificationType: 'FORECASTED', Threshold: 100 }, Subscribers },
  ]);
});

it('has another name for other operators: the two are there at once while they change', () => {
  const nameFor = (emails: readonly string[]) =>
    budgetsOf({ awsBudgetPerMonth: 20, operatorEmails: emails })[0]?.Properties.Budget.BudgetName;

  expect(nameFor(['ops@example.com'])).not.toBe(nameFor(['new@example.com']));
  expect(nameFor(['ops@example.com'])).toBe(nameFor(['ops@example.com']));
});

it('is not there unless it is asked for', () => {
  expect(budgetsOf({})).toEqual([]);
});
