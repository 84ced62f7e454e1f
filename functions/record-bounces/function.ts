import middy from '@middy/core';
import { logged } from '#shared/runtime/logged.ts';
import { createMetrics } from '#shared/runtime/metrics.ts';
import { composeRecordBounces, type RecordBouncesOutside } from './compose.ts';
import { noteUndelivered, recordBounce } from './record-bounces.ts';
import { RecordBouncesEvent } from './requests.ts';

export function recordBouncesFunction(outside: RecordBouncesOutside) {
  const { ports, environment } = composeRecordBounces(outside);
  const log = outside.logOf('record-bounces');
  const metrics = createMetrics(environment.STAGE, outside.now);

  return middy<unknown, void>({ timeoutEarlyInMillis: outside.earlyAbortMs })
    .use(logged(log, metrics.flush))
    .handler(async (event) => {
      const report = RecordBouncesEvent.parse(event);
      if ('Records' in report) {
        for (const { messageId, destinationId } of report.Records) {
          const isKnown = await noteUndelivered(ports, destinationId);
          metrics.measure('AlertsGivenUp');
          log.error('message_undelivered', { messageId, destinationId, isKnown });
        }
        return;
      }
      const { eventType, mail } = report.detail;
      const isOff = await recordBounce(ports, report);
      log.info('bounce_recorded', { eventType, destinationId: mail.tags.channel, isOff });
    });
}
