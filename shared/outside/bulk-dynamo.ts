import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { AWS_CLIENTS } from '#shared/clients/aws-clients.ts';
import { tableRuntime } from '#shared/runtime/table-runtime.ts';
import type { BulkTable } from '#shared/stores/bulk-table.ts';
import { createBulkTable } from '#shared/stores/dynamo-bulk-table.ts';

export function bulkDynamoTable(name: string): BulkTable {
  return createBulkTable(new DynamoDBClient(AWS_CLIENTS.table), name, tableRuntime);
}
