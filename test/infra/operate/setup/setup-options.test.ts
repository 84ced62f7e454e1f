import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readSecret, readSource } from '#infra/operate/setup/secret-source.ts';
import { verb } from '#infra/operate/setup/setup.ts';
import { readAnswers } from '#infra/operate/setup/setup-options.ts';

const KEY = 'eyJhbGciOiJIUzI1NiJ9.secret';

/** The options of a command line, and the answers that they give. */
function readSetup(args: readonly string[]) {
  const given = verb.read(args);
  if (given === undefined) throw new Error('no options');
  return { ...given, ...readAnswers(given) };
}

describe('the command line of npm run operate -- setup', () => {
  it('returns the settings that were given, and no others', () => {
    const options = readSetup([
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
      },
      sources: {
        upstreamKey: { kind: 'environment', name: 'KEY' },
        slackWebhook: { kind: 'stdin' },
      },
    });
  });

  it.each([
    [['--email', 'nobody'], '--email: expected addresses'],
    [['--upstream-url', 'nowhere'], '--upstream-url: expected a URL'],
    [['--budget-per-day', '0'], '--budget-per-day: expected a whole number'],
    [['--firewall', '9'], '--firewall: expected a whole number from 10'],
    [['--stage', 'prod-eu'], '--stage: expected a lower-case word such as dev, found "prod-eu"'],
    [['--tenant', 'Acme!'], '--tenant: expected an id'],
    [['--upstream-key-from', '-', '--slack-webhook-from', '-'], 'only one secret can come from -'],
    [['--upstream-key', KEY], "unknown option '--upstream-key'"],
  ])('says what is wrong with %j', (args, issue) => {
    expect(() => readSetup(args)).toThrow(issue);
  });
});

it('a key that the provider makes is no source', () => {
  const read = readSetup(['--stage', 'dev', '--upstream-key-from', 'instant']);

  expect(read).toMatchObject({
    sources: { upstreamKey: undefined },
    answers: { instantKey: true },
  });
});

describe('a secret', () => {
  const surroundings = { environment: { KEY }, stdin: Readable.from([`${KEY}\n`]) };

  it('is read from a variable, a file and the standard input, without the end of its line', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'floorwatch-secret-')), 'key');
    writeFileSync(file, `${KEY}\r\n`);

    for (const given of ['env:KEY', `file:${file}`, '-']) {
      const source = readSource('--upstream-key-from', given);
      expect(source && (await readSecret(source, surroundings))).toBe(KEY);
    }
  });

  it('on the command line itself is refused, and not repeated', () => {
    const read = () => readSource('--upstream-key-from', KEY);

    expect(read).toThrow('give env:NAME, file:PATH, or - for the standard input');
    expect(read).not.toThrow('secret');
  });

  it.each([
    ['env:NONE', 'there is no secret in the variable NONE'],
    ['file:/nowhere/key', 'the file /nowhere/key cannot be read'],
    ['-', 'there is no secret in the standard input'],
  ])('is missed where %s has none', async (given, issue) => {
    const source = readSource('--upstream-key-from', given);
    const nothing = { environment: {}, stdin: undefined };

    await expect(source && readSecret(source, nothing)).rejects.toThrow(issue);
  });
});
