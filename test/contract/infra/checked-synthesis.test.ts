import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, Stack, Validations } from 'aws-cdk-lib';
import { CfnStage } from 'aws-cdk-lib/aws-apigateway';
import { CfnQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { AwsSolutionsChecks, type NagPack, ServerlessChecks } from 'cdk-nag';
import type { IConstruct } from 'constructs';
import { describe, expect, it } from 'vitest';
import { synthesizeChecked } from '#infra/stack/checked-synthesis.ts';
import { createFloorwatchApp } from '#infra/stack/floorwatch-app.ts';
import { findStage, type Stage } from '#infra/stack/stages.ts';
import { withoutBundling } from '#test/infra/synthesized.ts';

/** The stages and settings that lead to different templates. */
const stages = {
  dev: findStage('dev'),
  prod: findStage('prod'),
  'prod with everything': {
    ...findStage('prod'),
    operatorEmails: ['desk@example.com'],
    slackWebhookParameter: '/floorwatch/prod/slack-webhook',
    emailSender: 'alerts@example.com',
    corsOrigins: ['https://example.com'],
    tracing: true,
    firewallRequestsPerAddress: 3000,
    hasDashboard: true,
    reservesConcurrency: true,
  },
};

describe('cdk synth', { timeout: 120_000 }, () => {
  const synthesizing = (plant: (stack: Stack) => void) => () => {
    const app = createApp(stages['prod with everything']);
    plant(Stack.of(app.node.findChild('Floorwatch')));
    synthesizeChecked(app);
  };

  it('cdk synth reports no finding in the stack', () => {
    expect(synthesizing(() => {})).not.toThrow();
  });

  it('cdk synth reports no finding in a stage with an account and a region', () => {
    const deployedTo = { account: '123456789012', region: 'eu-west-1' };
    const app = createApp({ ...stages['prod with everything'], deployedTo });

    expect(() => synthesizeChecked(app)).not.toThrow();
  });

  it.each<{ what: string; plant: (stack: Stack) => void; finding: string }>([
    {
      what: 'a pack reports an error',
      plant: (stack) => new Queue(stack, 'Planted'),
      finding: "Acknowledge with 'AwsSolutions::AwsSolutions-SQS4'",
    },
    {
      what: 'a pack reports a warning',
      plant: (stack) => plantedStage(stack),
      finding: 'Floorwatch/Planted: The API Gateway logs are not configured for the JSON format.',
    },
    {
      what: 'CloudFormation would refuse the stack',
      plant: (stack) => new CfnQueue(stack, 'Planted', { visibilityTimeout: 99_999 }),
      finding: 'greater than the maximum of 43200',
    },
    {
      what: 'a construct adds a warning',
      plant: (stack) => Validations.of(stack).addWarning('planted', 'this is not what it seems'),
      finding: 'this is not what it seems',
    },
  ])('cdk synth fails if $what', ({ plant, finding }) => {
    expect(synthesizing(plant)).toThrow(finding);
  });
});

describe.each(Object.entries(stages))('the stage %s', (_name, stage) => {
  const app = createApp(stage);
  const findings = findingsIn(app);

  it('a stage has no open finding', () => {
    const open = findings.filter(({ isOpen }) => isOpen);

    expect(
      open.map(({ id, path }) => `${path}: ${id}`),
      'fix it, or acknowledge it next to the construct: Validations.of(construct).acknowledge({ id, reason })',
    ).toEqual([]);
  });

  it('a stage acknowledges only findings that exist', () => {
    const needless = acknowledgementsIn(app).filter(
      ({ id, path }) => !findings.some((found) => found.id === id && isWithin(path, found.path)),
    );

    expect(needless).toEqual([]);
  });
});

it('the acknowledged findings and their reasons equal the reviewed list', async () => {
  const acknowledged = Object.values(stages).flatMap((stage) =>
    acknowledgementsIn(createApp(stage)).map(({ id, reason, path }) =>
      [`${id}: ${reason}`, placeOf(path)].map((text) =>
        text.replace(/(floorwatch-|DeploymentStage\.)(dev|prod)\b/, '$1<stage>'),
      ),
    ),
  );
  const list = [...Map.groupBy(acknowledged, ([what]) => what)].map(([what, places]) =>
    [what, ...new Set(places.map(([, place]) => `  ${place}`).toSorted())].join('\n'),
  );

  // To acknowledge another finding for a good reason, run this with `-u` and show the list to a
  // reviewer.
  await expect(`${list.toSorted().join('\n\n')}\n`).toMatchFileSnapshot(
    'acknowledged-findings.txt',
  );
});

/** All API paths are treated as one path, so a new route does not add a finding. */
function placeOf(path: string): string {
  return path
    .replace(/^Floorwatch\//, '')
    .replace(/^(Http\/Api\/Default)\/.+\/(ANY|OPTIONS)$/, '$1/<path>/$2');
}

/** A stage whose only finding is the format of its access log. */
function plantedStage(stack: Stack): void {
  const planted = new CfnStage(stack, 'Planted', {
    restApiId: 'planted',
    accessLogSetting: {
      destinationArn: 'arn:aws:logs:eu-west-1:111122223333:log-group:planted',
      format: '$context.requestId $context.status',
    },
    methodSettings: [
      {
        ...{ httpMethod: '*', resourcePath: '/*', loggingLevel: 'ERROR' },
        ...{ throttlingRateLimit: 1, throttlingBurstLimit: 1 },
      },
    ],
    tracingEnabled: true,
  });
  Validations.of(planted).acknowledge({
    id: 'AwsSolutions::AwsSolutions-APIG3',
    reason: 'planted',
  });
}

type Finding = {
  readonly id: string;
  readonly path: string;
  readonly isOpen: boolean;
};

function createApp(stage: Stage): App {
  return createFloorwatchApp({
    stage,
    outdir: mkdtempSync(join(tmpdir(), 'floorwatch-checked-')),
    context: withoutBundling,
  });
}

/** All findings of the cdk-nag rule packs, acknowledged or not. */
function findingsIn(app: App): readonly Finding[] {
  const acknowledgements = acknowledgementsIn(app);
  const packs: readonly NagPack[] = [new AwsSolutionsChecks(app), new ServerlessChecks(app)];
  return packs.flatMap((pack) =>
    pack.validateScope(app).violations.flatMap(({ ruleName, violatingResources }) =>
      violatingResources.map(({ constructPath: path = '' }) => {
        const id = `${pack.name}::${ruleName}`;
        const isOpen = !acknowledgements.some(
          (acknowledged) => acknowledged.id === id && isWithin(acknowledged.path, path),
        );
        return { id, path, isOpen };
      }),
    ),
  );
}

function acknowledgementsIn(construct: IConstruct) {
  return construct.node.findAll().flatMap(({ node }) =>
    node.metadata
      .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
      .flatMap(({ data }) => Object.entries<string>(data))
      .map(([id, reason]) => ({ id, reason, path: node.path })),
  );
}

const isWithin = (path: string, inner: string) => `${inner}/`.startsWith(`${path}/`);
