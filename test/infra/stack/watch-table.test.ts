import { expect, it } from 'vitest';
import { aStage, FULL_STAGE, resourcesOf, synthesize } from '#test/infra/synthesized.ts';
import { TABLE_SCHEMA } from '#test/support/tables.ts';

const tableOf = (retainsData: boolean) =>
  resourcesOf(synthesize(retainsData ? FULL_STAGE : aStage()), 'AWS::DynamoDB::Table').WatchTable;

it('survives its stack and refuses to be deleted where data matter', () => {
  expect(tableOf(true)).toMatchObject({
    // A deployment that creates the table and then fails deletes it.
    ...{ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' },
    Properties: { DeletionProtectionEnabled: true },
  });
});

it.each(['stack', 'table'] as const)(
  'gets its deletion protection after the deployment that creates the %s',
  (creates) => {
    const template = synthesize(aStage({ retainsData: true }), creates);

    expect(resourcesOf(template, 'AWS::DynamoDB::Table').WatchTable).toMatchObject({
      DeletionPolicy: 'RetainExceptOnCreate',
      Properties: { DeletionProtectionEnabled: false },
    });
  },
);

it('is one that is there already where the stage names it: the stack has none of its own', () => {
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

it('goes with its stack where they do not', () => {
  expect(tableOf(false)).toMatchObject({
    DeletionPolicy: 'Delete',
    Properties: { DeletionProtectionEnabled: false },
  });
});

it('is one table on demand that can be restored to any second and forgets by ttl', () => {
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

it('is the table that the stores are tested on', () => {
  expect(tableOf(true)?.Properties).toMatchObject(TABLE_SCHEMA);
});

it('has three local indexes, which allow consistent reads, and one global index of due work', () => {
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
