import type { Stage } from './stages.ts';

/** What a function that posts the alerts of rules must know of the operators. */
export function operatorVariables({ slackWebhookParameter, operatorAlerts }: Stage) {
  return {
    STACK_SLACK: slackWebhookParameter ? 'on' : 'off',
    OPERATOR_ALERTS: operatorAlerts,
  } as const;
}
