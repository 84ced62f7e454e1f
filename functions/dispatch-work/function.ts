import middy from '@middy/core';
import { channelGroup, contractGroup, listGroup } from '#shared/domain/messages/groups.ts';
import type { Basics, Outside } from '#shared/outside/outside.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { logged } from '#shared/runtime/logged.ts';
import { createMetrics } from '#shared/runtime/metrics.ts';
import { withTrace } from '#shared/runtime/trace.ts';
import { limitsOf, othersOf } from '#shared/runtime/upstream-variables.ts';
import { composeDispatchWork } from './compose.ts';
import { type DispatchSummary, dispatchWork } from './dispatch-work.ts';
import { DispatchWorkEnvironment } from './environment.ts';
import { gaugesOf } from './gauges.ts';

export function dispatchWorkFunction(outside: Basics & Pick<Outside, 'senderTo' | 'table'>) {
  const { now, sleepUntil, senderTo } = outside;
  const environment = readEnvironment(DispatchWorkEnvironment, outside.variables);
  const log = outside.logOf('dispatch-work');
  const metrics = createMetrics(environment.STAGE, now);
  const table = outside.table(environment.WATCH_TABLE);
  const ports = composeDispatchWork({
    now,
    sleepUntil,
    table,
    cadenceMinutes: environment.POLL_CADENCE_MINUTES,
    limits: limitsOf(environment),
    others: othersOf(environment),
    sendToContracts: senderTo(environment.CONTRACTS_QUEUE_URL, contractGroup),
    sendToLists: senderTo(environment.LISTS_QUEUE_URL, listGroup),
    sendToChannels: senderTo(environment.CHANNELS_QUEUE_URL, channelGroup),
  });

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
