import type { DeliverMessagesEvents } from './ports.ts';

type Measured =
  | 'AlertsDelivered'
  | 'AlertsGivenUp'
  | 'AlertsLate'
  | 'BrokenItems'
  | 'MessagesFailed'
  | 'SendsFailed';

/** Maps the events of this function to metrics. */
export function measuredEvents(measure: (metric: Measured, value?: number) => void) {
  // `AlertsLate` is measured even if it is zero, because it is divided by `AlertsDelivered`.
  const delivered = ({
    alerts,
    late,
  }: Pick<DeliverMessagesEvents['message_sent'], 'alerts' | 'late'>) => {
    measure('AlertsDelivered', alerts);
    measure('AlertsLate', late);
  };
  const givenUp = ({ alerts }: Pick<DeliverMessagesEvents['alerts_given_up'], 'alerts'>) =>
    measure('AlertsGivenUp', alerts);
  return {
    message_accepted: delivered,
    message_sent: delivered,
    message_failed: () => measure('SendsFailed'),
    message_no_topic: () => measure('SendsFailed'),
    message_refused: givenUp,
    message_gone: givenUp,
    alerts_given_up: givenUp,
    alert_unreadable: () => measure('BrokenItems'),
    delivery_failed: () => measure('MessagesFailed'),
  };
}
