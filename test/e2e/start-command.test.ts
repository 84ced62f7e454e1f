import { spawn } from 'node:child_process';
import { env } from 'node:process';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { closeServer, createLoopbackServer, listen } from '#infra/local/runtime/loopback.ts';

describe('npm start', () => {
  it.each([
    {
      mistake: 'a port that is in use',
      args: '--port <port>',
      line: '--port <port> is in use: give another port',
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
  ])('npm start exits with 2 and one line for $mistake', async ({ args, line }) => {
    const port = await portInUse();

    const end = await start(args.replace('<port>', port).split(' '));

    expect(end).toEqual({ code: 2, errors: `${line.replace('<port>', port)}\n` });
  });
});

async function portInUse(): Promise<string> {
  const server = createLoopbackServer(async () => {});
  const { port } = new URL(await listen(server));
  onTestFinished(() => closeServer(server));
  return port;
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
