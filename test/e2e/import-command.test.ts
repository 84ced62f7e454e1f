import { describe, expect, it } from 'vitest';
import { digestOf } from '#infra/operate/import/data-files.ts';
import { traitKey } from '#shared/domain/archive/token.ts';
import { tableRuntime } from '#shared/runtime/table-runtime.ts';
import { createBulkTable } from '#shared/stores/dynamo-bulk-table.ts';
import { createImportStore } from '#shared/stores/import-store.ts';
import { createTokenStore } from '#shared/stores/token-store.ts';
import { aTokenLine, PUNKS, writeMarketFiles } from '#test/support/market-files.ts';
import { operate } from '#test/support/operate.ts';
import { aStackTable, awsAt, DEPLOYED_TABLE } from '#test/support/stack-table.ts';

const TABLE = DEPLOYED_TABLE;

/** A table like that of a stack, and a function that counts its tokens. */
async function aStack(...names: readonly string[]) {
  const { url, endpoint, client } = await aStackTable(...names);
  const tokensIn = async (name = TABLE) => {
    const table = createBulkTable(client, name, tableRuntime);
    const { withTrait } = createTokenStore(table);
    const page = { after: undefined, limit: 10_000 };
    return (await withTrait(PUNKS, traitKey(['hat', 'cap']), page)).entries.length;
  };
  const table = createBulkTable(client, TABLE, tableRuntime);
  return { url, endpoint, tokensIn, table };
}

const someTokens = (count: number) =>
  Array.from({ length: count }, (_, id) => aTokenLine(`${id}`, [['hat', 'cap']]));

describe('npm run operate -- import', () => {
  it('npm run operate -- import loads a directory into the stack of npm start', async () => {
    const { url, tokensIn } = await aStack();
    await using files = await writeMarketFiles({ 'a/tokens.jsonl': someTokens(30) });

    const { exit, out, error } = await runImport([files.directory, '--url', url]);

    expect({ exit, error }).toEqual({
      exit: 0,
      error: expect.stringMatching(/^(\d+%.*, line \d+\n)+$/),
    });
    expect(out).toMatch(/tokens\.jsonl: 30 lines, 30 written, 0 unchanged\nImported in /);
    expect(await tokensIn()).toBe(30);
  });

  it('npm run operate -- import exits with 3 after a bad line, and names the line', async () => {
    const { url, tokensIn } = await aStack();
    await using files = await writeMarketFiles({ 'tokens.jsonl': [...someTokens(2), {}] });

    const { exit, lines } = await runImport([files.directory, '--url', url, '--json']);

    expect(exit).toBe(3);
    const events = lines.map((line) => JSON.parse(line));
    const [bad, file, end] = events.filter(({ event }) => event !== 'progress');
    expect(bad).toMatchObject({
      event: 'bad_line',
      line: 3,
      reason: expect.stringMatching(/^chain: /),
    });
    expect(file).toMatchObject({ event: 'file', kind: 'tokens', lines: 3, written: 2, bad: 1 });
    expect(end).toMatchObject({
      event: 'end',
      totals: { tokens: { lines: 3, written: 2, bad: 1 } },
    });
    expect(await tokensIn()).toBe(2);
  });

  it('npm run operate -- import continues where it was killed', async () => {
    const { url, tokensIn, table } = await aStack();
    await using files = await writeMarketFiles({ 'tokens.jsonl': someTokens(4000) });
    const killed = await runImport([files.directory, '--url', url], {}, /^[1-3]\d%/m);

    const { exit, out } = await runImport([files.directory, '--url', url]);

    expect(killed.exit).toBeNull();
    expect(exit).toBe(0);
    expect(out).toMatch(/4000 lines, \d+ written, \d+ unchanged, [1-3]000 loaded earlier/);
    expect(await tokensIn()).toBe(4000);
    const digest = await digestOf({ path: `${files.directory}/tokens.jsonl` });
    expect(await createImportStore(table).linesDone(digest)).toBe(0);
  });

  it('npm run operate -- import finds the table of a deployed stage', async () => {
    const { endpoint, tokensIn } = await aStack('floorwatch-prod-WatchTable1');
    await using files = await writeMarketFiles({ 'tokens.jsonl': someTokens(3) });

    const { exit } = await runImport([files.directory, '--stage', 'prod'], awsAt(endpoint));

    expect(exit).toBe(0);
    expect(await tokensIn('floorwatch-prod-WatchTable1')).toBe(3);
    expect(await tokensIn()).toBe(0);
  });

  it.each([
    {
      args: ['.', '--stage', 'prod'],
      issue: 'the stack floorwatch-prod has no table in this account',
    },
    {
      args: ['.', '--stage', 'dev'],
      issue: `the stage dev has several tables; choose one with --table: ${TABLE}, ${TABLE}2`,
    },
    {
      args: ['/nowhere', '--stage', 'dev', '--table', TABLE],
      issue: '/nowhere cannot be read',
    },
    {
      args: ['functions', '--stage', 'dev', '--table', TABLE],
      issue: 'functions contains no file named floors',
    },
  ])('npm run operate -- import reports the mistake in $args', async ({ args, issue }) => {
    const { endpoint } = await aStack(`${TABLE}2`);

    const end = await runImport(args, awsAt(endpoint));

    expect(end).toMatchObject({ exit: 2, out: '', error: expect.stringContaining(issue) });
    expect(end.error.split('\n')).toHaveLength(2);
  });
});

const runImport = (
  args: readonly string[],
  env?: Readonly<Record<string, string>>,
  killedAt?: RegExp,
) => operate(['import', ...args], env, killedAt);
