import { ConditionalCheckFailedException, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
} from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { createDynamoTable } from '#shared/stores/dynamo-table.ts';

const mock = mockClient(DynamoDBDocumentClient);
afterAll(() => mock.restore());
const table = createDynamoTable(new DynamoDBClient({ region: 'us-east-1' }), 'Watches');
const key = { pk: 'WATCHES#a', sk: 'a' };
const range = { from: 'a', to: 'b' };

beforeEach(() => {
  mock.reset();
  mock.resolves({});
});

describe('a reading', () => {
  it('of an item, a partition and a threshold index is strong', async () => {
    await table.get(key);
    await table.query({ pk: key.pk, range, limit: 10 });
    await table.queryThresholdIndex({ index: 'falling', pk: key.pk, range, limit: 10 });

    const inputs = [...mock.commandCalls(GetCommand), ...mock.commandCalls(QueryCommand)].map(
      ({ args: [{ input }] }) => input,
    );
    expect(inputs).toHaveLength(3);
    for (const input of inputs) {
      expect(input).toMatchObject({ TableName: 'Watches', ConsistentRead: true });
    }
  });

  it('of what is due is not, since a global index cannot be', async () => {
    await table.due('DUE#0', 1, 10);

    const [call] = mock.commandCalls(QueryCommand);
    expect(call?.args[0].input).toMatchObject({ IndexName: 'due', Limit: 10 });
    expect(call?.args[0].input).not.toHaveProperty('ConsistentRead');
  });

  it('of something without a key is an error', async () => {
    mock.on(GetCommand).resolves({ Item: { pk: key.pk } });

    await expect(table.get(key)).rejects.toThrow();
  });
});

describe('a write', () => {
  it('that fails for another reason than its version is no conflict', async () => {
    mock.on(PutCommand).rejects(new Error('throughput exceeded'));

    await expect(table.put(key, 1)).rejects.toThrow('throughput exceeded');
  });

  it('that meets a conflict reports which item, and the cause', async () => {
    const cause = new ConditionalCheckFailedException({ message: 'no', $metadata: {} });
    mock.on(PutCommand).rejects(cause);

    const conflict = table.put(key, 1);

    await expect(conflict).rejects.toThrow(VersionConflictError);
    await expect(conflict).rejects.toMatchObject({
      message: 'WATCHES#a a has changed since it was read',
      cause,
    });
  });
});
