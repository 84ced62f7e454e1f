import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { createFloorwatchApp } from '#infra/stack/floorwatch-app.ts';
import { type Created, findStage, Stage } from '#infra/stack/stages.ts';

const Resource = z.object({
  Type: z.string(),
  Properties: z.record(z.string(), z.any()).default({}),
  DeletionPolicy: z.string().optional(),
  UpdateReplacePolicy: z.string().optional(),
  Metadata: z.record(z.string(), z.any()).default({}),
});
export type Resource = z.output<typeof Resource>;

export const Template = z.object({
  Resources: z.record(z.string(), Resource),
  Outputs: z.record(z.string(), z.any()),
});
export type Template = z.output<typeof Template>;

/** The context in `cdk.json`, that is, CDK's feature flags. */
const cdkContext = {
  ...z
    .object({ context: z.record(z.string(), z.unknown()) })
    .parse(JSON.parse(readFileSync('cdk.json', 'utf8'))).context,
  'aws:cdk:enable-path-metadata': true,
  'aws:cdk:disable-stack-trace': true,
};

/** The same context, but without bundling, because bundling takes seconds. */
export const withoutBundling = {
  ...cdkContext,
  'aws:cdk:bundling-stacks': [],
  'aws:cdk:disable-asset-staging': true,
};

export function aStage(changes: Partial<Stage> = {}): Stage {
  return Stage.parse({ ...findStage('dev'), ...changes });
}

/** A stage with every optional feature. A synthesis takes half a second, so tests share it. */
export const FULL_STAGE: Stage = Stage.parse({
  ...findStage('dev', { otherProviders: [{ provider: 'coingecko' }] }),
  operatorEmails: ['ops@example.com', 'night@example.com'],
  awsBudgetPerMonth: 20,
  emailSender: 'alerts@example.com',
  slackWebhookParameter: '/floorwatch/dev/slack-webhook',
  upstreamKeyEndsAt: '2026-12-01T12:00:00.000Z',
  upstreamCallsPerSecond: 31,
  corsOrigins: ['https://app.example.com'],
  domain: {
    name: 'floors.example.com',
    certificate: 'arn:aws:acm:eu-west-1:123456789012:certificate/1',
  },
  firewallRequestsPerAddress: 3000,
  ...{ reservesConcurrency: true, tracing: true, hasDashboard: true, retainsData: true },
});

const synthesized = new Map<string, Template>();

/**
 * The template of the stack, without bundling and without CDK's validation, because both take
 * seconds.
 */
export function synthesize(stage: Stage = aStage(), creates?: Created): Template {
  const key = JSON.stringify({ stage, creates });
  const template = synthesized.get(key) ?? synthesizedAnew(stage, creates);
  synthesized.set(key, template);
  return template;
}

function synthesizedAnew(stage: Stage, creates?: Created): Template {
  const app = createFloorwatchApp({
    stage,
    outdir: mkdtempSync(join(tmpdir(), 'floorwatch-synth-')),
    builtinCloudFormationValidation: false,
    treeMetadata: false,
    context: { ...withoutBundling, creates },
  });
  return Template.parse(app.synth().getStackByName(`floorwatch-${stage.name}`).template);
}

/** All resources of a type by their construct path, e.g. `Alerting/Lists/Queue`. */
export function resourcesOf(template: Template, type: string): Record<string, Resource> {
  const found = Object.entries(template.Resources).filter(([, { Type }]) => Type === type);
  return Object.fromEntries(found.map(([id, resource]) => [pathOf(template, id), resource]));
}

/** The construct path of a logical id, without the stack name and the suffix `/Resource` of CDK. */
function pathOf(template: Template, logicalId: string): string {
  const path: unknown = template.Resources[logicalId]?.Metadata['aws:cdk:path'];
  return typeof path === 'string'
    ? path.replace(/^Floorwatch\//, '').replace(/(\/Default)?\/Resource$/, '')
    : logicalId;
}

/** A value of a template as text: references become construct paths or `${AWS::…}`. */
export function textOf(template: Template, value: unknown): string {
  if (typeof value === 'string') return value;
  const reference = Reference.parse(value);
  if ('Ref' in reference) {
    return reference.Ref.startsWith('AWS::')
      ? `\${${reference.Ref}}`
      : pathOf(template, reference.Ref);
  }
  if ('Fn::GetAtt' in reference) return pathOf(template, reference['Fn::GetAtt'][0]);
  const [separator, parts] = reference['Fn::Join'];
  return parts.map((part) => textOf(template, part)).join(separator);
}

const Reference = z.union([
  z.object({ Ref: z.string() }),
  z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.string()]) }),
  z.object({ 'Fn::Join': z.tuple([z.string(), z.array(z.unknown())]) }),
]);
