import { stdout } from 'node:process';
import { expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { createReader } from '#infra/command-line/create-reader.ts';
import {
  argument,
  flag,
  option,
  subcommand,
  text,
  wholeNumber,
} from '#infra/command-line/options.ts';
import { UsageError } from '#infra/command-line/usage-error.ts';

const readMove = createReader({
  name: 'npm run move --',
  description: 'Moves messages.',
  options: z.object({
    from: argument('the queue that is emptied', z.string()),
    toQueue: option('name', 'another queue', text),
    most: option('number', 'at most so many', wholeNumber(1, 10).prefault('5')),
    label: option('text...', 'labels', z.array(z.string()).default([])),
    dryRun: flag('only list'),
  }),
  exitCodes: '0 moved, 2 not',
});

const json = flag('JSON lines');
const readKeys = createReader({
  name: 'npm run keys --',
  description: 'Makes keys.',
  options: z.discriminatedUnion('command', [
    subcommand('make', 'make a key', { json, name: option('text', 'its name', text) }),
    subcommand('end', 'end a key', { json }),
  ]),
});

it.each([
  { args: 'a', options: { from: 'a', most: 5, label: [], dryRun: false } },
  {
    args: '--dry-run a --to-queue=b --most 7 --label x --label y',
    options: { from: 'a', toQueue: 'b', most: 7, label: ['x', 'y'], dryRun: true },
  },
  { args: '--to-queue - -- -a', options: { from: '-a', toQueue: '-' } },
])('a command reads its declared options from "$args"', ({ args, options }) => {
  expect(readMove(args.split(' '))).toMatchObject(options);
});

it.each([
  { args: '--json make --name a', options: { command: 'make', json: true, name: 'a' } },
  { args: 'end --json', options: { command: 'end', json: true } },
])('a command reads its subcommand and its options from "$args"', ({ args, options }) => {
  expect(readKeys(args.split(' '))).toEqual(options);
});

it.each([
  { read: readMove, args: '', issue: "missing required argument 'from'" },
  { read: readMove, args: 'a b', issue: 'Expected 1 argument but got 2: a, b.' },
  {
    read: readMove,
    args: 'a --dryrun',
    issue: "unknown option '--dryrun'; did you mean --dry-run?",
  },
  { read: readMove, args: 'a --most', issue: "option '--most <number>' argument missing" },
  {
    read: readMove,
    args: 'a --most 11',
    issue: '--most: expected a whole number from 1 to 10, found "11"',
  },
  {
    read: readMove,
    args: 'a --to-queue --dry-run',
    issue: '--to-queue <name>: expected a value, found "--dry-run"',
  },
  { read: readKeys, args: '', issue: 'expected one of make, end' },
  { read: readKeys, args: 'mak', issue: "unknown command 'mak'; expected one of make, end" },
  { read: readKeys, args: 'end --name a', issue: "unknown option '--name'" },
])('the arguments "$args" are rejected: $issue', ({ read, args, issue }) => {
  const reading = () => read(args.split(' ').filter((part) => part !== ''));

  expect(reading).toThrow(UsageError);
  expect(reading).toThrow(issue);
});

it('--help prints the options with their values and defaults, and the exit codes', () => {
  const write = vi.spyOn(stdout, 'write').mockReturnValue(true);
  onTestFinished(() => write.mockRestore());

  expect(readMove(['--help'])).toBeUndefined();

  const help = write.mock.calls.map(([part]) => part).join('');
  expect(help).toContain('Usage: npm run move -- [options] <from>\n');
  expect(help).toMatch(/--most <number> +at most so many \(default: 5\)\n/);
  expect(help).toMatch(/\n\nExit codes: 0 moved, 2 not\.\n$/);
});
