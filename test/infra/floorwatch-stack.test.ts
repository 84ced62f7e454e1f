import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import { expect, it } from 'vitest';
import { createFloorwatchApp } from '#infra/floorwatch-app.ts';
import { aStage, resourcesOf, synthesize, withoutBundling } from './synthesized.ts';

const template = synthesize();

it('keeps the logical ids of what holds data, or an update would replace it', () => {
  const stateful = ['AWS::DynamoDB::Table', 'AWS::SNS::Topic', 'AWS::SQS::Queue'];

  const ids = Object.entries(template.Resources)
    .filter(([, { Type }]) => stateful.includes(Type))
    .map(([id]) => id);

  expect(ids.toSorted()).toEqual([
    'AlertingChannelsDeadLetters0C30953F',
    'AlertingChannelsQueue39126824',
    'AlertingListsDeadLetters61B58FEF',
    'AlertingListsQueue7BD29574',
    'AlertingStackTopic958B9C9D',
    'MonitoringAlarmTopicAF62D4F1',
    'PollingContractsDeadLettersBDE9DB4B',
    'PollingContractsQueue5A0F1CD9',
    'PollingMissedTicks44490809',
    'WatchTableF7A0942E',
  ]);
});

it('tells where everything is that a person looks for', () => {
  expect(Object.keys(template.Outputs)).toEqual([
    'ApiUrl',
    'TableName',
    'StackTopicArn',
    'AlarmTopicArn',
    'DashboardUrl',
    'MissedTicksUrl',
    'ContractsDeadLettersUrl',
    'ListsDeadLettersUrl',
    'ChannelsDeadLettersUrl',
  ]);
});

it('names secrets and holds none', () => {
  const text = JSON.stringify(synthesize(aStage({ slackWebhookParameter: '/a/webhook' })));

  expect(text).not.toMatch(/\{\{resolve:|SecretString|hooks\.slack\.com\/services/);
  expect(text).toContain('"UPSTREAM_KEY_PARAMETER":"/floorwatch/dev/upstream-key"');
  expect(text).toContain('"SLACK_WEBHOOK_PARAMETER":"/a/webhook"');
});

it('keeps logs for as long as the stage says, and no longer', () => {
  const groups = Object.values(resourcesOf(template, 'AWS::Logs::LogGroup'));
  const functions = Object.values(resourcesOf(template, 'AWS::Lambda::Function'));

  expect(groups).toHaveLength(functions.length + 1);
  for (const { Properties } of groups) expect(Properties.RetentionInDays).toBe(7);
  for (const { Properties } of functions)
    expect(Properties.LoggingConfig).toHaveProperty('LogGroup');
});

it('runs every function on the same platform, and tells its folder to the local runtime', () => {
  const functions = Object.values(resourcesOf(template, 'AWS::Lambda::Function'));

  for (const { Properties } of functions) {
    expect(Properties).toMatchObject({
      Architectures: ['arm64'],
      Runtime: 'nodejs24.x',
      Handler: 'index.handler',
    });
    expect(Properties.Environment.Variables).not.toHaveProperty('NODE_OPTIONS');
  }
  expect(functions.map(({ Metadata }) => Metadata['floorwatch:folder'])).toEqual([
    'notify-watchers',
    'deliver-messages',
    'run-contracts',
    'dispatch-work',
    'authorize-request',
    'manage-watchlists',
    'manage-channels',
    'read-contracts',
    'serve-nft-data',
    'describe-api',
  ]);
});

it('has no finding, not even a warning, in the validation that CDK ships', () => {
  const outdir = mkdtempSync(join(tmpdir(), 'floorwatch-validated-'));

  createFloorwatchApp({ stage: aStage(), context: withoutBundling, outdir }).synth();

  const report = readFileSync(join(outdir, 'validation-report.json'), 'utf8');
  expect(JSON.parse(report)).toMatchObject({ pluginReports: [] });
});

it('does not synthesize what CloudFormation would refuse', () => {
  const app = new App({ context: withoutBundling });
  new CfnQueue(new Stack(app, 'Broken'), 'Queue', { visibilityTimeout: 99_999 });

  expect(() => app.synth()).toThrow('greater than the maximum of 43200');
});
