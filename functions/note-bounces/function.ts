import middy from '@middy/core';
import { logged } from '#shared/runtime/logged.ts';
import { createMetrics } from '#shared/runtime/metrics.ts';
import { composeNoteBounces, type NoteBouncesOutside } from './compose.ts';
import { noteBounce, noteUndelivered } from './note-bounces.ts';
import { NoteBouncesEvent } from './requests.ts';

export function noteBouncesFunction(outside: NoteBouncesOutside) {
  const { ports, environment } = composeNoteBounces(outside);
  const log = outside.logOf('note-bounces');
  const metrics = createMetrics(environment.STAGE, outside.now);

  return middy<unknown, void>({ timeoutEarlyInMillis: outside.earlyAbortMs })
    .use(logged(log, metrics.flush))
    .handler(async (event) => {
      const report = NoteBouncesEvent.parse(event);
      if ('Records' in report) {
        for (const { messageId, destinationId } of report.Records) {
          const isKnown = await noteUndelivered(ports, destinationId);
          metrics.measure('AlertsGivenUp');
          log.error('message_undelivered', { messageId, destinationId, isKnown });
        }
        return;
      }
      const { eventType, mail } = report.detail;
      const isOff = await noteBounce(ports, report);
      log.info('bounce_noted', { eventType, destinationId: mail.tags.channel, isOff });
    });
}
