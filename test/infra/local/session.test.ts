import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { mistakeIn } from '#infra/command-line/mistake-in.ts';
import { createPrinter } from '#infra/command-line/printer.ts';
import { openStore } from '#infra/local/keep.ts';
import { readOptions } from '#infra/local/options.ts';
import { reportInJson } from '#infra/local/report.ts';
import { runSession } from '#infra/local/session.ts';

it.each([
  {
    mistake: 'a file that is in use',
    args: '--keep <dir>/busy',
    line: '--keep <dir>/busy is in use by another process: stop it, or give another file',
  },
  {
    mistake: 'a file that is no database',
    args: '--keep <dir>/letter',
    line: '--keep <dir>/letter cannot be used: file is not a database',
  },
  {
    mistake: 'a folder of an older version',
    args: '--keep <dir>/empty',
    line: '--keep <dir>/empty is a folder, perhaps from an older version: give the name of a file',
  },
  {
    mistake: 'a file inside a file',
    args: '--keep <dir>/file/kept',
    line: '--keep <dir>/file/kept cannot be used: unable to open database file',
  },
  {
    mistake: 'a file of another market',
    args: '--keep <dir>/kept --seed 8',
    line: '--keep <dir>/kept contains a run of the simulated market (--seed 7), not of the simulated market (--seed 8): give the same options, or another file',
  },
  {
    mistake: 'data that are not there',
    args: '--data <dir>/none',
    line: "--data <dir>/none cannot be replayed: ENOENT: no such file or directory, scandir '<dir>/none'",
  },
  {
    mistake: 'a folder without data',
    args: '--data <dir>/empty --from 2022-01-10',
    line: '--data <dir>/empty contains no floors, trades or tokens',
  },
  {
    mistake: 'data without a usable line',
    args: '--data <dir>/broken',
    line: '--data <dir>/broken contains no floors, trades or tokens: <dir>/broken/floors.jsonl line 1: expected JSON',
  },
  {
    mistake: 'watchlists that are not there',
    args: '--watchlists <dir>/none',
    line: "--watchlists <dir>/none cannot be read: ENOENT: no such file or directory, open '<dir>/none'",
  },
  {
    mistake: 'watchlists that are not JSON',
    args: '--watchlists <dir>/file',
    line: '--watchlists <dir>/file: expected a watchlist or an array of watchlists as JSON',
  },
])('a session with $mistake does not begin, and says why in one line', async ({ args, line }) => {
  const filled = await mistakesFor(args);

  const error = await begin(filled(args).split(' ')).catch((thrown: unknown) => thrown);

  expect(mistakeIn(error)).toBe(filled(line));
});

/**
 * Creates a folder with invalid files, and the stores that the arguments name. Returns a function
 * that inserts the path of the folder into a text in place of `<dir>`.
 */
async function mistakesFor(args: string) {
  const folder = await mkdtemp(join(tmpdir(), 'floorwatch-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const name of ['broken', 'empty']) await mkdir(join(folder, name));
  const files = {
    'broken/floors.jsonl': 'garbage\n',
    letter: 'a letter to my grandmother, who has no database at all',
    file: '',
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  if (args.includes('<dir>/kept')) {
    const kept = await openStore(join(folder, 'kept'));
    kept.keep({ market: { kind: 'simulated', seed: 7, from: 0 } });
    kept.close();
  }
  if (args.includes('<dir>/busy')) onTestFinished((await openStore(join(folder, 'busy'))).close);
  return (words: string) => words.replaceAll('<dir>', folder);
}

async function begin(args: readonly string[]): Promise<unknown> {
  const options = readOptions(args, {});
  if (options === undefined) throw new Error('there are no options');
  const silent = { write: () => true, writeError: () => true, isTerminal: false };
  return await runSession({
    options,
    report: reportInJson(createPrinter(silent)),
    ...{ log: () => {}, onFailure: () => {} },
    signal: new AbortController().signal,
  });
}
