import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { expect, it } from 'vitest';
import { AccountBudget } from '#infra/stack/account-budget.ts';
import { aStage, FULL_STAGE, resourcesOf, synthesize } from '#test/infra/synthesized.ts';

const budgetsOf = (template = synthesize()) =>
  Object.values(resourcesOf(template, 'AWS::Budgets::Budget'));

it('the budget emails each operator when the account approaches its monthly amount', () => {
  const [budget, ...others] = budgetsOf(synthesize(FULL_STAGE));

  expect(others).toEqual([]);
  expect(budget?.Properties.Budget).toEqual({
    ...{ BudgetName: expect.stringMatching(/^floorwatch-dev-[0-9a-f]{8}$/) },
    ...{ BudgetType: 'COST', TimeUnit: 'MONTHLY' },
    BudgetLimit: { Amount: 20, Unit: 'USD' },
  });
  const Subscribers = FULL_STAGE.operatorEmails.map((Address) => ({
    SubscriptionType: 'EMAIL',
    Address,
  }));
  const above = { ComparisonOperator: 'GREATER_THAN', ThresholdType: 'PERCENTAGE' };
  expect(budget?.Properties.NotificationsWithSubscribers).toEqual([
    { Notification: { ...above, NotificationType: 'ACTUAL', Threshold: 80 }, Subscribers },
    { Notification: { ...above, NotificationType: 'FORECASTED', Threshold: 100 }, Subscribers },
  ]);
});

it('a change of the operators changes the name of the budget, because CloudFormation creates the new budget before it deletes the old one', () => {
  const nameFor = (operatorEmails: readonly string[]) => {
    const stack = new Stack(new App({ builtinCloudFormationValidation: false }), 'Stack');
    new AccountBudget(stack, 'Budget', { stage: aStage({ operatorEmails }), dollars: 20 });
    const [budget] = Object.values(Template.fromStack(stack).findResources('AWS::Budgets::Budget'));
    return budget?.Properties.Budget.BudgetName;
  };

  expect(nameFor(['ops@example.com'])).not.toBe(nameFor(['new@example.com']));
  expect(nameFor(['ops@example.com'])).toBe(nameFor(['ops@example.com']));
});

it('the stack has no budget unless the stage sets one', () => {
  expect(budgetsOf()).toEqual([]);
});
