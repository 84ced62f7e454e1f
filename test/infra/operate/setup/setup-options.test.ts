import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readSecret } from '#infra/operate/setup/secret-source.ts';
import { verb } from '#infra/operate/setup/setup.ts';
import { readAnswers } from '#infra/operate/setup/setup-options.ts';

const KEY = 'eyJhbGciOiJIUzI1NiJ9.secret';

const inputs = () => ({
  environment: { KEY },
  stdin: Readable.from(['https://hooks.slack.com/services/T000/B000/first\n']),
});

/** The options of a command line, and the answers to the questions of setup that they contain. */
async function readSetup(args: readonly string[]) {
  const given = verb.read(args);
  if (given === undefined) throw new Error('no options');
  return { ...given, answers: await readAnswers(given, inputs()) };
}

describe('the command line of npm run operate -- setup', () => {
  it('readSetup returns the given settings and no others', async () => {
    const options = await readSetup([
      ...['--stage', 'prod', '--region', 'eu-west-1', '--email', 'a@example.com'],
      ...['--email', 'b@example.com', '--budget-per-day', '50000', '--yes'],
      ...['--upstream-key-from', 'env:KEY', '--slack-webhook-from', '-', '--firewall', '9000'],
    ]);

    expect(options).toMatchObject({
      ...{ stage: 'prod', region: 'eu-west-1', tenant: 'main', settings: '.floorwatch' },
      ...{ yes: true, dryRun: false, json: false },
      answers: {
        operatorEmails: ['a@example.com', 'b@example.com'],
        ...{ upstreamUrl: undefined, upstreamBudgetPerDay: 50_000, firewall: 9000 },
        ...{ upstreamKey: KEY, secondKey: undefined },
        slackWebhook: 'https://hooks.slack.com/services/T000/B000/first',
      },
    });
  });

  it.each([
    [['--email', 'nobody'], '--email: expected email addresses'],
    [['--upstream-url', 'nowhere'], '--upstream-url: expected a URL'],
    [['--budget-per-day', '0'], '--budget-per-day: expected a whole number'],
    [['--firewall', '9'], '--firewall: expected a whole number of at least 10'],
    [
      ['--stage', 'prod-eu'],
      '--stage: expected 1 to 16 lowercase letters and digits such as dev, starting with a letter, found "prod-eu"',
    ],
    [['--tenant', 'Acme!'], '--tenant: expected an id'],
    [['--upstream-key-from', '-', '--slack-webhook-from', '-'], 'only one secret can come from -'],
    [['--upstream-key', KEY], "unknown option '--upstream-key'"],
  ])('setup rejects the options %j, and explains the mistake', async (args, issue) => {
    await expect(readSetup(args)).rejects.toThrow(issue);
  });
});

it('the value `instant` of the key option lets the provider create a key', async () => {
  const { answers } = await readSetup(['--stage', 'dev', '--upstream-key-from', 'instant']);

  expect(answers).toMatchObject({ instantKey: true });
  expect(answers.upstreamKey).toBeUndefined();
});

describe('a secret', () => {
  const option = '--upstream-key-from';

  it('a secret is read from a variable, a file or the standard input, without the trailing newline', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'floorwatch-secret-')), 'key');
    writeFileSync(file, `${KEY}\r\n`);
    const stdin = Readable.from([`${KEY}\n`]);

    for (const source of ['env:KEY', `file:${file}`, '-']) {
      expect(await readSecret(option, source, { environment: { KEY }, stdin })).toBe(KEY);
    }
  });

  it('a secret on the command line is rejected, and not repeated in the error', async () => {
    const error = await readSecret(option, KEY, inputs()).catch(String);

    expect(error).toContain('give env:NAME, file:PATH, or - for the standard input');
    expect(error).not.toContain('secret');
  });

  it.each([
    ['env:NONE', 'the variable NONE contains no secret'],
    ['file:/nowhere/key', 'the file /nowhere/key cannot be read'],
    ['-', 'the standard input contains no secret'],
  ])('a missing secret in %s is reported', async (source, issue) => {
    const nothing = { environment: {}, stdin: undefined };

    await expect(readSecret(option, source, nothing)).rejects.toThrow(issue);
  });
});
