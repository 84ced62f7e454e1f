import type { Stage } from './stages.ts';

/** The variables about operators, for functions that post the alerts of rules. */
export function operatorVariables({ slackWebhookParameter, operatorAlerts }: Stage) {
  return {
    STACK_SLACK: slackWebhookParameter ? 'on' : 'off',
    OPERATOR_ALERTS: operatorAlerts,
  } as const;
}
