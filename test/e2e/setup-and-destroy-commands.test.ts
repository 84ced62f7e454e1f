import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';

describe.each(['setup', 'destroy'])('npm run %s', (command) => {
  it('reports how it is used', async () => {
    const { exit, out } = await run(command, ['--help']);

    expect(exit).toBe(0);
    expect(out).toMatch(new RegExp(`^Usage: npm run ${command} -- `));
  });

  it('asks no question without a terminal, and does nothing', async () => {
    const { exit, error } = await run(command, ['--stage', 'dev'], { AWS_REGION: 'eu-west-1' });

    expect(exit).toBe(2);
    expect(error).toContain('give --yes');
  });

  it('says what to do where AWS takes no credentials', async () => {
    const yes = command === 'setup' ? ['--yes'] : ['--yes', 'dev'];

    const { exit, error } = await run(command, ['--stage', 'dev', ...yes], {
      AWS_REGION: 'eu-west-1',
      AWS_EC2_METADATA_DISABLED: 'true',
      HOME: '/nowhere',
    });

    expect(exit).toBe(2);
    expect(error).toContain('log in, for example with aws sso login');
  });

  it('asks for a region where the environment has none', async () => {
    const yes = command === 'setup' ? ['--yes'] : ['--yes', 'dev'];

    const { exit, error } = await run(command, ['--stage', 'dev', ...yes], { HOME: '/nowhere' });

    expect(exit).toBe(2);
    expect(error).toBe('give --region, for example eu-west-1\n');
  });
});

it('npm run destroy means the stage that is named twice', async () => {
  const { exit, error } = await run('destroy', ['--stage', 'dev', '--yes', 'prod']);

  expect(exit).toBe(2);
  expect(error).toBe('--yes prod does not match --stage dev: give the same name twice\n');
});

async function run(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  const child = spawn(process.execPath, [`infra/operate/${command}/${command}.ts`, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, error, exit] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('exit', resolve)),
  ]);
  return { out, error, exit };
}
