import type { OperationsPorts } from '#shared/use-cases/read-operations.ts';
import type { QueueReport } from './answers.ts';

/** The ports of the routes about the stack. */
export type ReportOperationsPorts = OperationsPorts<QueueReport>;
