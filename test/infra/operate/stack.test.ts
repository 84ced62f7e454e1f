import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { UsageError } from '#infra/command-line/usage-error.ts';
import { verb } from '#infra/operate/redrive.ts';
import { openStack } from '#infra/operate/stack.ts';
import { writeSettings } from '#infra/stack/settings.ts';

const deployedTo = { account: '123456789012', region: 'eu-west-1' };

function settingsOf(stage: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'floorwatch-settings-'));
  writeSettings(folder, stage, { deployedTo, tableName: `floorwatch-${stage}-Restored-1` });
  return folder;
}

it("AWS clients use the region of the stage's settings", async () => {
  const stack = await openStack({ stage: 'prod', settings: settingsOf('prod') });

  expect(await stack.account?.dynamodb.config.region()).toBe('eu-west-1');
  expect((await stack.stage()).deployedTo).toEqual(deployedTo);
});

it('a stage together with a URL is rejected', async () => {
  const both = { stage: 'prod', url: 'http://127.0.0.1:4000', settings: settingsOf('prod') };

  await expect(openStack(both)).rejects.toThrow('give either --stage <name> or --url <url>');
});

it('a URL without a local stack is reported as a mistake of the user', async () => {
  const stack = await openStack({ url: 'http://127.0.0.1:1', settings: settingsOf('prod') });

  await expect(stack.table()).rejects.toThrow('no local stack responds at this URL');
  await expect(stack.queues()).rejects.toThrow(UsageError);
  expect(await stack.url()).toBe('http://127.0.0.1:1');
});

it.each([
  [['--url', 'nowhere'], '--url: expected the URL that npm start or setup printed'],
  [
    ['--stage', 'no stage'],
    '--stage: expected 1 to 16 lowercase letters and digits such as dev, starting with a letter, found "no stage"',
  ],
])('a malformed stage or URL is rejected: %s', (args, issue) => {
  expect(() => verb.read(args)).toThrow(issue);
});

it('a table without a stage is rejected', async () => {
  const given = { table: 'a-table', settings: settingsOf('prod') };

  await expect(openStack(given)).rejects.toThrow('--table needs --stage');
});

it('unreadable settings are reported as a mistake of the user', async () => {
  const settings = settingsOf('prod');
  writeFileSync(join(settings, 'prod.json'), '{"operatorEmails": 1}');

  await expect(openStack({ stage: 'prod', settings })).rejects.toThrow(UsageError);
});
