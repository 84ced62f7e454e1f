import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { digestOf } from '#infra/operate/import/data-files.ts';
import { traitKey } from '#shared/domain/archive/token.ts';
import { tableRuntime } from '#shared/runtime/table-runtime.ts';
import { createBulkTable } from '#shared/stores/dynamo-bulk-table.ts';
import { createImportStore } from '#shared/stores/import-store.ts';
import { createTokenStore } from '#shared/stores/token-store.ts';
import { aTokenLine, PUNKS, writeMarketFiles } from '#test/support/market-files.ts';
import { aStackTable, awsAt, DEPLOYED_TABLE } from '#test/support/stack-table.ts';

const TABLE = DEPLOYED_TABLE;

/** A table as a stack has it, and what reports how many tokens are in it. */
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

describe('npm run import', () => {
  it('loads a directory into the stack that npm start runs', async () => {
    const { url, tokensIn } = await aStack();
    await using files = await writeMarketFiles({ 'a/tokens.jsonl': someTokens(30) });

    const { exit, out, error } = await runImport([files.directory, '--local', url]);

    expect({ exit, error }).toEqual({ exit: 0, error: expect.stringMatching(/^(\d+ %\n)+$/) });
    expect(out).toMatch(/tokens\.jsonl: 30 lines, 30 written, 0 unchanged\nImported in /);
    expect(await tokensIn()).toBe(30);
  });

  it('ends with 3 when a line was bad, and names it', async () => {
    const { url, tokensIn } = await aStack();
    await using files = await writeMarketFiles({ 'tokens.jsonl': [...someTokens(2), {}] });

    const { exit, out, error } = await runImport([files.directory, '--local', url, '--json']);

    expect(exit).toBe(3);
    expect(error).toContain(`${files.directory}/tokens.jsonl:3: chain: `);
    const [file, end] = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(file).toMatchObject({ event: 'file', kind: 'tokens', lines: 3, written: 2, bad: 1 });
    expect(end).toMatchObject({ event: 'end', tokens: { lines: 3, written: 2, bad: 1 } });
    expect(await tokensIn()).toBe(2);
  });

  it('goes on where it was killed', async () => {
    const { url, tokensIn, table } = await aStack();
    await using files = await writeMarketFiles({ 'tokens.jsonl': someTokens(4000) });
    const killed = await runImport([files.directory, '--local', url], {}, /10 %|20 %|30 %/);

    const { exit, out } = await runImport([files.directory, '--local', url]);

    expect(killed.exit).toBeNull();
    expect(exit).toBe(0);
    expect(out).toMatch(/4000 lines, \d+ written, \d+ unchanged, [1-3]000 loaded before/);
    expect(await tokensIn()).toBe(4000);
    const digest = await digestOf({ path: `${files.directory}/tokens.jsonl` });
    expect(await createImportStore(table).linesDone(digest)).toBe(0);
  });

  it('finds the table of a deployed stage', async () => {
    const { endpoint, tokensIn } = await aStack('floorwatch-prod-WatchTable1');
    await using files = await writeMarketFiles({ 'tokens.jsonl': someTokens(3) });

    const { exit } = await runImport([files.directory, '--stage', 'prod'], awsAt(endpoint));

    expect(exit).toBe(0);
    expect(await tokensIn('floorwatch-prod-WatchTable1')).toBe(3);
    expect(await tokensIn()).toBe(0);
  });

  it.each([
    { args: [], issue: "missing required argument 'directory'" },
    { args: ['a', 'b'], issue: 'Expected 1 argument but got 2: a, b' },
    {
      args: ['.', '--stage', 'dev', '--local', 'http://x'],
      issue: 'give either --stage <name> or',
    },
    {
      args: ['.', '--stage', 'no stage'],
      issue: '--stage: expected a lower-case word such as dev, found "no stage"',
    },
    {
      args: ['.', '--local', 'nowhere'],
      issue: '--local: expected the address that npm start printed, found "nowhere"',
    },
    { args: ['.', '--local', 'http://127.0.0.1:1'], issue: 'no stack of npm start answers' },
    { args: ['.', '--table', 'x'], issue: '--table goes with --stage' },
    { args: ['.', '--all'], issue: "unknown option '--all'" },
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
      issue: 'functions holds no file floors',
    },
  ])('says what is wrong with $args', async ({ args, issue }) => {
    const { endpoint } = await aStack(`${TABLE}2`);

    const end = await runImport(args, awsAt(endpoint));

    expect(end).toMatchObject({ exit: 2, out: '', error: expect.stringContaining(issue) });
    expect(end.error.split('\n')).toHaveLength(2);
  });

  it('reports how it is used', async () => {
    const { exit, out } = await runImport(['--help']);

    expect(exit).toBe(0);
    expect(out).toContain('npm run import -- [options] <directory>');
  });
});

/** Runs the command; kills it as soon as it says something on stderr. */
async function runImport(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  killedAt?: RegExp,
) {
  const child = spawn(process.execPath, ['infra/operate/import/import.ts', ...args], { env });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk;
    if (killedAt?.test(said)) child.kill('SIGKILL');
  });
  const [out, error, exit] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('exit', resolve)),
  ]);
  return { out, error, exit };
}
