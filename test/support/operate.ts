import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

/** Runs `npm run operate` in a process, and kills it once its stderr matches `killedAt`. */
export async function operate(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  killedAt?: RegExp,
) {
  const child = spawn(process.execPath, ['infra/operate/operate.ts', ...args], {
    ...{ env, stdio: ['ignore', 'pipe', 'pipe'] },
  });
  let written = '';
  child.stderr.on('data', (chunk: Buffer) => {
    written += chunk;
    if (killedAt?.test(written)) child.kill('SIGKILL');
  });
  const [out, error, exit] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('exit', resolve)),
  ]);
  return { out, error, exit, lines: out.split('\n').slice(0, -1) };
}
