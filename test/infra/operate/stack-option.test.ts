import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readStack, regionOf } from '#infra/operate/stack-option.ts';
import { writeSettings } from '#infra/settings.ts';

const deployedTo = { account: '123456789012', region: 'eu-west-1' };

function settingsOf(stage: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'floorwatch-settings-'));
  writeSettings(folder, stage, { deployedTo });
  return folder;
}

it('a deployed stage is looked for in the region that its settings name', () => {
  const stack = readStack({ stage: 'prod', settings: settingsOf('prod') });

  expect(stack).toEqual({ kind: 'deployed', stage: 'prod', region: 'eu-west-1' });
});

it('a stage without settings is looked for where the environment says', () => {
  const stack = readStack({ stage: 'dev', settings: settingsOf('prod') });

  expect(stack).toEqual({ kind: 'deployed', stage: 'dev', region: undefined });
  expect(regionOf({ region: undefined })).toEqual({});
});

it('a stack is either deployed or local', () => {
  const both = { stage: 'prod', local: 'http://127.0.0.1:4000', settings: settingsOf('prod') };

  expect(() => readStack(both)).toThrow('give either --stage NAME or --local URL');
});
