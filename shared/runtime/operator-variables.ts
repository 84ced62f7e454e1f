import * as z from 'zod';
import { OperatorAlerts } from '#shared/domain/channels/operator-alerts.ts';

/** The environment variables of functions that post the alerts of rules. */
export const operatorVariables = {
  /** Whether the operators have a Slack webhook. */
  STACK_SLACK: z.enum(['on', 'off']),
  OPERATOR_ALERTS: OperatorAlerts,
};
