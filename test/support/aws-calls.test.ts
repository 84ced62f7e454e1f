import { expect, it } from 'vitest';
import { callsIn } from './aws-calls.ts';

const TABLE = 'arn:aws:dynamodb:us-east-1:000000000000:table/Watches';
const key = (pk: string) => ({ pk: { S: pk }, sk: { S: '-' } });

/** The action, the resource and the leading keys of each call of a DynamoDB request. */
function callsOf(operation: string, body: object) {
  const headers = {
    authorization:
      'AWS4-HMAC-SHA256 Credential=run-contracts/20260101/us-east-1/dynamodb/aws4_request',
    'x-amz-target': `DynamoDB_20120810.${operation}`,
  };
  return callsIn(headers, JSON.stringify(body)).map((call) => {
    expect(call.caller).toBe('run-contracts');
    return [call.action, call.resource, ...call.leadingKeys];
  });
}

it('reports each item of a transaction as an AWS call with its own action and leading key', () => {
  const item = { TableName: 'Watches' };

  expect(
    callsOf('TransactWriteItems', {
      TransactItems: [
        { Put: { ...item, Item: key('TENANT#a') } },
        { Update: { ...item, Key: key('LIST#a') } },
        { Delete: { ...item, Key: key('INBOX#a') } },
        { ConditionCheck: { ...item, Key: key('STACK') } },
      ],
    }),
  ).toEqual([
    ['dynamodb:PutItem', TABLE, 'TENANT#a'],
    ['dynamodb:UpdateItem', TABLE, 'LIST#a'],
    ['dynamodb:DeleteItem', TABLE, 'INBOX#a'],
    ['dynamodb:ConditionCheckItem', TABLE, 'STACK'],
  ]);
  expect(
    callsOf('TransactGetItems', { TransactItems: [{ Get: { ...item, Key: key('KEYS') } }] }),
  ).toEqual([['dynamodb:GetItem', TABLE, 'KEYS']]);
});

it('reports a batch as one AWS call with the leading keys of all its items', () => {
  const Keys = [key('TOKENS#a'), key('TOKENS#b')];
  const writes = [
    { PutRequest: { Item: key('TRADES#a') } },
    { DeleteRequest: { Key: key('TRADES#b') } },
  ];

  expect(callsOf('BatchGetItem', { RequestItems: { Watches: { Keys } } })).toEqual([
    ['dynamodb:BatchGetItem', TABLE, 'TOKENS#a', 'TOKENS#b'],
  ]);
  expect(callsOf('BatchWriteItem', { RequestItems: { Watches: writes } })).toEqual([
    ['dynamodb:BatchWriteItem', TABLE, 'TRADES#a', 'TRADES#b'],
  ]);
});

it('reports the index and the leading key of a query', () => {
  const query = {
    TableName: 'Watches',
    IndexName: 'due',
    KeyConditionExpression: '#pk = :shard and dueAt <= :until',
    ExpressionAttributeValues: { ':shard': { S: 'DUE#1' }, ':until': { N: '1' } },
  };

  expect(callsOf('Query', query)).toEqual([['dynamodb:Query', `${TABLE}/index/due`, 'DUE#1']]);
});

it('rejects an operation that names no partition key', () => {
  expect(() => callsOf('Scan', { TableName: 'Watches' })).toThrow();
});
