import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { operate } from '#test/support/operate.ts';

const VERBS = [
  ...['setup', 'status', 'keys', 'watchlists', 'import', 'redrive', 'probe', 'restore'],
  'destroy',
];

describe('npm run operate', () => {
  it('npm run operate lists its verbs', async () => {
    const { exit, lines } = await operate(['--help']);

    const listed = lines.flatMap((line) => /^ {2}(\w+) {2,}\w/.exec(line)?.[1] ?? []);
    expect(exit).toBe(0);
    expect(listed).toEqual(VERBS);
  });

  it.each(VERBS)('npm run operate shows the options of %s', async (verb) => {
    const { exit, lines, out } = await operate([verb, '--help']);

    expect(exit).toBe(0);
    expect(lines[0]).toMatch(new RegExp(`^Usage: npm run operate -- ${verb} \\[options\\]`));
    expect(out).toContain('--json ');
  });

  it.each([
    { args: [], issue: 'expected a command: setup, status, keys' },
    { args: ['stauts'], issue: 'unknown command "stauts"; did you mean "status"?' },
    { args: ['constructor'], issue: 'unknown command "constructor"; expected one of "setup"' },
    { args: ['--json', 'status'], issue: 'unknown command "--json"' },
  ])('npm run operate reports a mistake in $args', async ({ args, issue }) => {
    const { exit, error, out } = await operate(args);

    expect({ exit, out }).toEqual({ exit: 2, out: '' });
    expect(error).toContain(issue);
  });

  it('npm run operate loads no AWS client for a stack of npm start', async () => {
    const log = `data:text/javascript,import { registerHooks } from 'node:module';
      registerHooks({ load: (url, context, next) => { console.log(url); return next(url, context); } });`;
    const args = ['--import', log, 'infra/operate/operate.ts', 'keys', '--help'];

    const { stdout } = await promisify(execFile)(process.execPath, args);

    expect(stdout).toContain('infra/operate/keys/keys.ts\n');
    expect(stdout).not.toMatch(/@aws-sdk\/client-(?!dynamodb)|operate\/setup\/setup\.ts/);
  });
});
