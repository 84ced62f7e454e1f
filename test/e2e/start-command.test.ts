import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openStore } from '#infra/local/keep.ts';
import { closeServer, createLoopbackServer, listen } from '#infra/local/runtime/loopback.ts';

describe('npm start', () => {
  it.each([
    {
      mistake: 'a port that is in use',
      args: '--port <port>',
      line: '--port <port> is in use: give another port',
    },
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
      mistake: 'an unknown option',
      args: '--sed 8',
      line: "unknown option '--sed'; did you mean --seed?",
    },
    {
      mistake: 'real prices without a network',
      args: '--live azuki',
      line: 'OpenSea is not available (network). To run the simulated market, which needs no network, use npm start without --live.',
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
  ])('npm start exits with 2 and one line for $mistake', async ({ args, line }) => {
    const filled = await mistakes();

    const end = await start(filled(args).split(' '));

    expect(end).toEqual({ code: 2, errors: `${filled(line)}\n` });
  });
});

/**
 * Creates a folder with invalid files and a port in use. Returns a function that inserts them into
 * a text in place of `<dir>` and `<port>`.
 */
async function mistakes() {
  const folder = await mkdtemp(join(tmpdir(), 'floorwatch-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const name of ['broken', 'empty']) await mkdir(join(folder, name));
  const files = {
    'broken/floors.jsonl': 'garbage\n',
    letter: 'a letter to my grandmother, who has no database at all',
    file: '',
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  const kept = await openStore(join(folder, 'kept'));
  kept.keep({ market: { kind: 'simulated', seed: 7, from: 0 } });
  kept.close();
  const busy = await openStore(join(folder, 'busy'));
  onTestFinished(busy.close);
  const server = createLoopbackServer(async () => {});
  const port = new URL(await listen(server)).port;
  onTestFinished(() => closeServer(server));
  return (words: string) => words.replaceAll('<dir>', folder).replaceAll('<port>', port);
}

async function start(args: readonly string[]) {
  const child = spawn(process.execPath, ['infra/local/start.ts', ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    // The test does not reach OpenSea, because this port is closed.
    env: { ...env, OPENSEA_URL: 'http://127.0.0.1:1' },
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const [code, errors] = await Promise.all([exited, text(child.stderr)]);
  return { code, errors };
}
