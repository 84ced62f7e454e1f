import * as z from 'zod';
import { Alert } from './alert.ts';
import { actionLinks } from './alert-action.ts';
import { linksTo } from './alert-words.ts';
import type { AlertNotification } from './notification.ts';

/** The body of SQS and webhook messages: an alert with its links. */
export const AlertMessage = z.strictObject({
  ...Alert.shape,
  links: z.strictObject({
    /** Pages about the contract, the marketplace first. */
    pages: z.array(z.string()),
    chart: z.string().nullable(),
    /** The links by action; empty without an open episode. */
    actions: z.record(z.string(), z.string()),
  }),
});
export type AlertMessage = z.output<typeof AlertMessage>;

/** Several alerts in one request, oldest first, for programs that accept batches. */
export const AlertBatch = z.strictObject({
  type: z.literal('alerts'),
  alerts: z.array(AlertMessage).min(2),
});
export type AlertBatch = z.output<typeof AlertBatch>;

export function alertMessage(notification: AlertNotification): AlertMessage {
  const { alert, chart = null } = notification;
  const actions = actionLinks(notification).map(({ action, url }) => [action, url] as const);
  return {
    ...alert,
    links: {
      ...{ pages: [...linksTo(alert.contract)], chart },
      actions: Object.fromEntries(actions),
    },
  };
}
