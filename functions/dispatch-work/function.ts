import middy from '@middy/core';
import { logged } from '#shared/runtime/logged.ts';
import { withTrace } from '#shared/runtime/trace.ts';
import { composeDispatchWork, type DispatchWorkOutside } from './compose.ts';
import { type DispatchSummary, dispatchWork } from './dispatch-work.ts';
import { gaugesOf } from './gauges.ts';

export function dispatchWorkFunction(outside: DispatchWorkOutside) {
  const { ports, log, metrics, environment } = composeDispatchWork(outside);

  return middy<unknown, DispatchSummary>({ timeoutEarlyInMillis: outside.earlyAbortMs })
    .use(logged(log, metrics.flush))
    .handler((_event, { awsRequestId }, { signal }) =>
      withTrace(awsRequestId, async () => {
        const summary = await dispatchWork(ports, signal);
        log[summary.unreadable.length === 0 ? 'info' : 'error']('work_dispatched', summary);
        const { UPSTREAM_KEY_ENDS_AT: keyEndsAt, POLL_CADENCE_MINUTES: cadenceMinutes } =
          environment;
        for (const [metric, value] of gaugesOf(summary, { keyEndsAt, cadenceMinutes })) {
          metrics.measure(metric, value);
        }
        return summary;
      }),
    );
}
