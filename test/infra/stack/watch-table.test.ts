import { expect, it } from 'vitest';
import { aStage, FULL_STAGE, resourcesOf, synthesize } from '#test/infra/synthesized.ts';
import { TABLE_SCHEMA } from '#test/support/tables.ts';

const tableOf = (retainsData: boolean) =>
  resourcesOf(synthesize(retainsData ? FULL_STAGE : aStage()), 'AWS::DynamoDB::Table').WatchTable;

it('the table outlives its stack and has deletion protection if the stage retains data', () => {
  expect(tableOf(true)).toMatchObject({
    // A deployment that creates the table and then fails deletes it again.
    ...{ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' },
    Properties: { DeletionProtectionEnabled: true },
  });
});

it.each(['stack', 'table'] as const)(
  'the table has deletion protection only after the deployment that creates the %s',
  (creates) => {
    const template = synthesize(aStage({ retainsData: true }), creates);

    expect(resourcesOf(template, 'AWS::DynamoDB::Table').WatchTable).toMatchObject({
      DeletionPolicy: 'RetainExceptOnCreate',
      Properties: { DeletionProtectionEnabled: false },
    });
  },
);

it('the stack uses an existing table if the stage names one', () => {
  const tableName = 'floorwatch-dev-Restored-1';

  const template = synthesize(aStage({ tableName }));

  expect(resourcesOf(template, 'AWS::DynamoDB::Table')).toEqual({});
  const functions = Object.values(resourcesOf(template, 'AWS::Lambda::Function'));
  const tables = functions.flatMap(
    ({ Properties }) => Properties.Environment?.Variables?.WATCH_TABLE ?? [],
  );
  expect([...new Set(tables)]).toEqual([tableName]);
  expect(JSON.stringify(resourcesOf(template, 'AWS::IAM::Policy'))).toContain(`table/${tableName}`);
});

it('the table is deleted with its stack if the stage does not retain data', () => {
  expect(tableOf(false)).toMatchObject({
    DeletionPolicy: 'Delete',
    Properties: { DeletionProtectionEnabled: false },
  });
});

it('the table is on demand, with point-in-time recovery and TTL', () => {
  expect(tableOf(true)?.Properties).toMatchObject({
    BillingMode: 'PAY_PER_REQUEST',
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
  });
});

it('the table has the same schema as in the tests of the stores', () => {
  expect(tableOf(true)?.Properties).toMatchObject(TABLE_SCHEMA);
});

it('the table has three local indexes for consistent reads, and one global index of items with timers', () => {
  const keysOnly = { ProjectionType: 'KEYS_ONLY' };

  expect(tableOf(true)?.Properties).toMatchObject({
    LocalSecondaryIndexes: ['falling', 'rising', 'wakes'].map((thresholdIndex) => ({
      IndexName: thresholdIndex,
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: thresholdIndex, KeyType: 'RANGE' },
      ],
      Projection: keysOnly,
    })),
    GlobalSecondaryIndexes: [
      {
        IndexName: 'due',
        KeySchema: [
          { AttributeName: 'dueShard', KeyType: 'HASH' },
          { AttributeName: 'dueAt', KeyType: 'RANGE' },
        ],
        Projection: keysOnly,
      },
    ],
  });
});
