import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { UsageError } from '#infra/command-line/usage-error.ts';
import { readStack, regionOf } from '#infra/operate/stack-option.ts';
import { writeSettings } from '#infra/stack/settings.ts';

const deployedTo = { account: '123456789012', region: 'eu-west-1' };

function settingsOf(stage: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'floorwatch-settings-'));
  writeSettings(folder, stage, { deployedTo });
  return folder;
}

it('a deployed stage is looked for in the region that its settings name', () => {
  const stack = readStack({ stage: 'prod', settings: settingsOf('prod') });

  expect(stack).toEqual({ kind: 'deployed', stage: 'prod', settings: { deployedTo } });
  expect(regionOf({ settings: { deployedTo } })).toEqual({ region: 'eu-west-1' });
});

it('a stage without settings is looked for where the environment says', () => {
  const stack = readStack({ stage: 'dev', settings: settingsOf('prod') });

  expect(stack).toEqual({ kind: 'deployed', stage: 'dev', settings: undefined });
  expect(regionOf({ settings: undefined })).toEqual({});
});

it('a stack is either deployed or local', () => {
  const both = { stage: 'prod', local: 'http://127.0.0.1:4000', settings: settingsOf('prod') };

  expect(() => readStack(both)).toThrow('give either --stage <name> or --local <url>');
});

it('settings that cannot be read are a usage error', () => {
  const settings = settingsOf('prod');
  writeFileSync(join(settings, 'prod.json'), '{"operatorEmails": 1}');

  expect(() => readStack({ stage: 'prod', settings })).toThrow(UsageError);
});
