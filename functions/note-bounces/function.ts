import middy from '@middy/core';
import type { Basics, Outside } from '#shared/outside/outside.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { logged } from '#shared/runtime/logged.ts';
import { createMetrics } from '#shared/runtime/metrics.ts';
import { composeNoteBounces } from './compose.ts';
import { NoteBouncesEnvironment } from './environment.ts';
import { noteBounce, noteUndelivered } from './note-bounces.ts';
import { NoteBouncesEvent } from './requests.ts';

export function noteBouncesFunction(outside: Basics & Pick<Outside, 'table'>) {
  const { now } = outside;
  const environment = readEnvironment(NoteBouncesEnvironment, outside.variables);
  const log = outside.logOf('note-bounces');
  const metrics = createMetrics(environment.STAGE, now);
  const ports = composeNoteBounces({
    now,
    table: outside.table(environment.WATCH_TABLE),
  });

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
