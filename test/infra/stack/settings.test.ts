import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createFloorwatchApp } from '#infra/stack/floorwatch-app.ts';
import { readSettings, removeSettings, writeSettings } from '#infra/stack/settings.ts';
import { findStage } from '#infra/stack/stages.ts';
import { withoutBundling } from '#test/infra/synthesized.ts';

function folderWith(stage: string, settings: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), 'floorwatch-settings-'));
  writeFileSync(join(folder, `${stage}.json`), JSON.stringify(settings));
  return folder;
}

it('the settings of a deployment override the defaults of its stage', () => {
  const settings = readSettings(folderWith('dev', { pollCadenceMinutes: 7 }), 'dev');

  expect(findStage('dev', settings)).toMatchObject({
    ...{ name: 'dev', pollCadenceMinutes: 7, retainsData: false },
    upstreamUrl: findStage('dev').upstreamUrl,
  });
});

it('an unknown stage with settings can be deployed, and retains its data', () => {
  const settings = folderWith('berlin', { operatorEmails: ['ops@example.com'] });

  const app = createFloorwatchApp({ context: { ...withoutBundling, stage: 'berlin', settings } });

  expect(app.node.findChild('Floorwatch')).toMatchObject({
    ...{ stackName: 'floorwatch-berlin', terminationProtection: true },
  });
});

it.each([
  ['stack', false],
  ['table', true],
])('a deployment that creates the %s protects the stack: %s', (creates, isProtected) => {
  const context = { ...withoutBundling, stage: 'prod', creates };

  expect(createFloorwatchApp({ context }).node.findChild('Floorwatch')).toMatchObject({
    terminationProtection: isProtected,
  });
});

it('an unknown resource in `-c creates=…` is rejected', () => {
  const context = { ...withoutBundling, stage: 'prod', creates: 'queue' };

  expect(() => createFloorwatchApp({ context })).toThrow('-c creates=…: expected stack or table');
});

it('a stage with a target account and region is deployed only there', () => {
  const deployedTo = { account: '123456789012', region: 'eu-west-1' };
  const settings = folderWith('dev', { deployedTo });

  const app = createFloorwatchApp({ context: { ...withoutBundling, stage: 'dev', settings } });

  expect(app.node.findChild('Floorwatch')).toMatchObject(deployedTo);
});

it('written settings can be read until they are removed', () => {
  const folder = join(folderWith('prod', {}), 'deeper');

  writeSettings(folder, 'dev', { pollCadenceMinutes: 7 });
  const kept = readSettings(folder, 'dev');
  removeSettings(folder, 'dev');

  expect(kept).toEqual({ pollCadenceMinutes: 7 });
  expect(readSettings(folder, 'dev')).toBeUndefined();
});

it.each([
  ['is misspelt', { pollCadence: 7 }, 'pollCadence'],
  [
    'is a secret instead of its name',
    { upstreamKeyParameter: 'eyJhbGciOi' },
    'upstreamKeyParameter',
  ],
  ['names the stage itself', { name: 'prod' }, 'name'],
])('the error about a setting that %s names the setting', (_what, settings, member) => {
  const folder = folderWith('dev', settings);

  expect(() => readSettings(folder, 'dev')).toThrow(member);
});

it('a stage without a settings file has no settings', () => {
  expect(readSettings(folderWith('dev', {}), 'prod')).toBeUndefined();
});

it('a file of settings that is not JSON is named', () => {
  const folder = mkdtempSync(join(tmpdir(), 'floorwatch-settings-'));
  const file = join(folder, 'prod.json');
  writeFileSync(file, '{"pollCadenceMinutes": 7,}');

  expect(() => readSettings(folder, 'prod')).toThrow(`${file}: ✖ expected JSON`);
});
