import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { ContractMessage } from '#shared/domain/messages/contract-message.ts';
import { handleFifoRecords, traceFields } from '#shared/runtime/fifo-records.ts';
import { logged } from '#shared/runtime/logged.ts';
import { composeRunContracts, type RunContractsOutside } from './compose.ts';
import { runContracts } from './run-contracts.ts';

export function runContractsFunction(outside: RunContractsOutside) {
  const { ports, log, metrics } = composeRunContracts(outside);

  return middy<SQSEvent, SQSBatchResponse>({ timeoutEarlyInMillis: outside.earlyAbortMs })
    .use(logged(log, (event: SQSEvent) => ({ ...traceFields(event), ...metrics.flush() })))
    .handler((event, context) => {
      const invocation = { ...ports, remainingTime: () => context.getRemainingTimeInMillis() };
      return handleFifoRecords(event, ContractMessage, { log, metrics }, (message) =>
        runContracts(invocation, message),
      );
    });
}
