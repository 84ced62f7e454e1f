import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { AWS_CLIENTS } from '#shared/clients/aws-clients.ts';
import { tableRuntime } from '#shared/runtime/table-runtime.ts';
import { createDynamoTable } from '#shared/stores/dynamo-table.ts';
import type { Table } from '#shared/stores/table.ts';

export function dynamoTable(name: string): Table {
  return createDynamoTable(new DynamoDBClient(AWS_CLIENTS.table), name, tableRuntime);
}
