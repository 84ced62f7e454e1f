import type { DeliverMessagesEvents } from './ports.ts';

type Measured =
  | 'AlertsDelivered'
  | 'AlertsGivenUp'
  | 'AlertsLate'
  | 'BrokenItems'
  | 'DeliveryDelay'
  | 'MessagesFailed'
  | 'SendsFailed';

/** What each event of this function adds to the metrics. */
export function measuredEvents(measure: (metric: Measured, value?: number) => void) {
  const delivered = ({
    alerts,
    late,
    seconds,
    failures,
  }: DeliverMessagesEvents['message_sent']) => {
    measure('AlertsDelivered', alerts);
    measure('AlertsLate', late);
    if (failures === 0) measure('DeliveryDelay', seconds);
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
