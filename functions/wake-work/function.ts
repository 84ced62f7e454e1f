import middy from '@middy/core';
import { MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import { logged } from '#shared/runtime/logged.ts';
import { withTrace } from '#shared/runtime/trace.ts';
import { composeWakeWork, type WakeWorkOutside } from './compose.ts';
import { type WakeSummary, wakeWork } from './wake-work.ts';

export function wakeWorkFunction(outside: WakeWorkOutside) {
  const { ports, log, metrics } = composeWakeWork(outside);

  return middy<unknown, WakeSummary>({ timeoutEarlyInMillis: outside.earlyAbortMs })
    .use(logged(log, metrics.flush))
    .handler((_event, { awsRequestId }, { signal }) =>
      withTrace(awsRequestId, async () => {
        const summary = await wakeWork(ports, signal);
        const { at, overdueSince, unreadable } = summary;
        log[unreadable.length === 0 ? 'info' : 'error']('work_woken', summary);
        // Measured only if there are problems, because CloudWatch bills a metric by the hour.
        if (overdueSince !== undefined && at - overdueSince >= MINUTE) {
          metrics.measure('WorkOverdue', (at - overdueSince) / SECOND);
        }
        if (unreadable.length > 0) metrics.measure('BrokenItems', unreadable.length);
        return summary;
      }),
    );
}
