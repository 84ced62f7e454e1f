import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { AWS_CLIENTS } from '#shared/clients/aws-clients.ts';
import { OutcomeUnknownError } from '#shared/domain/outcome-unknown.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { tableRuntime } from '#shared/runtime/table-runtime.ts';
import { createDynamoTable } from '#shared/stores/dynamo-table.ts';
import { type FaultProxy, startFaultProxy } from '#test/support/fault-proxy.ts';
import { outcomesOf, tableCommands, within } from '#test/support/table-commands.ts';
import { dynamoDbLocal, TABLE_SCHEMA } from '#test/support/tables.ts';

const [engine] = await dynamoDbLocal();

describe.skipIf(engine === undefined)('a table whose answers are lost', () => {
  let proxy: FaultProxy;

  beforeAll(async () => {
    await engine?.start();
    proxy = await startFaultProxy(engine?.endpoint() ?? '');
    await newClient().send(new CreateTableCommand({ ...TABLE_SCHEMA, TableName: 'Watches' }));
  });
  afterAll(async () => {
    await proxy?.[Symbol.asyncDispose]();
    await engine?.stop();
  });

  /** Each client has its own retry budget. */
  const newClient = () =>
    new DynamoDBClient({
      ...AWS_CLIENTS.table,
      endpoint: proxy.url,
      region: 'us-east-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    });
  const tableOf = () => createDynamoTable(newClient(), 'Watches', tableRuntime);
  const loseEvery = (n: number) =>
    proxy.strike((request) => (request % n === 0 ? { kind: 'reset', at: 0 } : { kind: 'none' }));
  /** Loses only the next answer. */
  const loseNext = () => {
    let isFirst = true;
    proxy.strike(() => {
      const fault = isFirst ? ({ kind: 'reset', at: 0 } as const) : ({ kind: 'none' } as const);
      isFirst = false;
      return fault;
    });
  };
  const key = (sk: string) => ({ pk: 'LOST', sk });

  it('a put whose answer is lost creates the item once', async () => {
    const table = tableOf();
    loseNext();

    await table.put({ ...key('made'), version: 1, by: 'us' }, 0);

    expect(await table.get(key('made'))).toEqual({ ...key('made'), version: 1, by: 'us' });
  });

  it('a put whose answer is lost reports a conflict if another writer was first', async () => {
    const table = tableOf();
    await table.put({ ...key('first'), version: 2, by: 'another' });
    loseNext();

    const late = table.put({ ...key('first'), version: 2, by: 'us' }, 1);

    await expect(late).rejects.toThrow(VersionConflictError);
  });

  it('a put whose answer is lost has an unknown outcome if others have written since', async () => {
    const table = tableOf();
    await table.put({ ...key('since'), version: 7, by: 'another' });
    loseNext();

    const late = table.put({ ...key('since'), version: 2, by: 'us' }, 1);

    await expect(late).rejects.toThrow(OutcomeUnknownError);
  });

  it('a put has an unknown outcome if every answer is lost', async () => {
    const table = tableOf();
    proxy.strike({ kind: 'reset', at: 0 });

    const unanswered = table.put({ ...key('unanswered'), version: 1 }, 0);

    await expect(unanswered).rejects.toThrow(OutcomeUnknownError);
    proxy.strike({ kind: 'none' });
    expect(await table.get(key('unanswered'))).toEqual({ ...key('unanswered'), version: 1 });
  });

  it('a delete whose answer is lost deletes once', async () => {
    const table = tableOf();
    await table.put({ ...key('deleted'), version: 3 });
    loseNext();

    await table.delete(key('deleted'), 3);

    expect(await table.get(key('deleted'))).toBeUndefined();
  });

  it('a transaction whose answer is lost is applied once', async () => {
    const table = tableOf();
    await table.put({ ...key('counted'), version: 1, count: 1 });
    loseNext();

    await table.transact([
      { put: { ...key('counted'), version: 2, count: 2 }, version: 1 },
      { put: { ...key('beside'), version: 1 }, version: 0 },
    ]);

    expect(await table.get(key('counted'))).toMatchObject({ count: 2 });
  });

  it('random commands with lost answers report no conflict with their own writes', async () => {
    loseEvery(3);
    let run = 0;

    await fc.assert(
      fc.asyncProperty(tableCommands(), async (commands) => {
        run += 1;
        const found = await outcomesOf(commands, within(tableOf(), `${run} `));
        const expected = await outcomesOf(commands, createMemoryTable());

        for (const [index, outcome] of found.entries()) {
          const same = expected[index] ?? '';
          // If the answer to a refused write is lost, the outcome is unknown.
          const isUnknown = outcome.endsWith('"unknown"') && /"(conflict|refused)"$/.test(same);
          expect(isUnknown ? same : outcome).toBe(same);
        }
      }),
      { numRuns: 20 },
    );
  });
});
