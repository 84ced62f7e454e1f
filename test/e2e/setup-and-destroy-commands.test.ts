import { describe, expect, it } from 'vitest';
import { operate } from '#test/support/operate.ts';

describe.each(['setup', 'destroy'])('npm run operate -- %s', (command) => {
  it('npm run operate asks no questions without a terminal, and changes nothing', async () => {
    const { exit, error } = await run(command, ['--stage', 'dev'], { AWS_REGION: 'eu-west-1' });

    expect(exit).toBe(2);
    expect(error).toContain('give --yes');
  });

  it('missing credentials are reported with a remedy', async () => {
    const yes = command === 'setup' ? ['--yes'] : ['--yes', 'dev'];

    const { exit, error } = await run(command, ['--stage', 'dev', ...yes], {
      AWS_REGION: 'eu-west-1',
      AWS_EC2_METADATA_DISABLED: 'true',
      HOME: '/nowhere',
    });

    expect(exit).toBe(2);
    expect(error).toContain('log in, for example with aws sso login');
  });

  it('a missing region is reported', async () => {
    const yes = command === 'setup' ? ['--yes'] : ['--yes', 'dev'];

    const { exit, error } = await run(command, ['--stage', 'dev', ...yes], { HOME: '/nowhere' });

    expect(exit).toBe(2);
    expect(error).toBe('the region is unknown: give --region, for example --region eu-west-1\n');
  });
});

it('npm run operate -- destroy requires the same stage twice', async () => {
  const { exit, error } = await run('destroy', ['--stage', 'dev', '--yes', 'prod']);

  expect(exit).toBe(2);
  expect(error).toBe('--yes prod does not match --stage dev: give the same name to both\n');
});

const run = (verb: string, args: readonly string[], env?: Readonly<Record<string, string>>) =>
  operate([verb, ...args], env);
