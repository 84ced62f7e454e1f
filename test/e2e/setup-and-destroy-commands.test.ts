import { describe, expect, it } from 'vitest';
import { operate } from '#test/support/operate.ts';

describe.each(['setup', 'destroy'])('npm run operate -- %s', (command) => {
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

it('npm run operate -- destroy means the stage that is named twice', async () => {
  const { exit, error } = await run('destroy', ['--stage', 'dev', '--yes', 'prod']);

  expect(exit).toBe(2);
  expect(error).toBe('--yes prod does not match --stage dev: give the same name twice\n');
});

const run = (verb: string, args: readonly string[], env?: Readonly<Record<string, string>>) =>
  operate([verb, ...args], env);
