import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { JobId } from '#shared/domain/watchlists/job.ts';
import { handleFifoRecords, traceFields } from '#shared/runtime/fifo-records.ts';
import { logged } from '#shared/runtime/logged.ts';
import { composeRunJobs, type RunJobsOutside } from './compose.ts';
import { runJob } from './run-job.ts';

export function runJobsFunction(outside: RunJobsOutside) {
  const { ports, log, metrics } = composeRunJobs(outside);

  return middy<SQSEvent, SQSBatchResponse>({ timeoutEarlyInMillis: outside.earlyAbortMs })
    .use(logged(log, (event: SQSEvent) => ({ ...traceFields(event), ...metrics.flush() })))
    .handler((event, context) => {
      const invocation = { ...ports, remainingTime: () => context.getRemainingTimeInMillis() };
      const notify = (message: JobId) => runJob(invocation, message);
      return handleFifoRecords(event, JobId, { log, metrics }, notify);
    });
}
