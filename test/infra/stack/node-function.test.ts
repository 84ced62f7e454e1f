import { App, Duration, Stack } from 'aws-cdk-lib';
import { expect, it } from 'vitest';
import { DrawChartEnvironment } from '#functions/draw-chart/environment.ts';
import { NodeFunction, type NodeFunctionProps } from '#infra/stack/node-function.ts';

type Variables = NodeFunctionProps<typeof DrawChartEnvironment>['environment'];

const complete: Variables = {
  WATCH_TABLE: 'watches',
  LINK_KEY_PARAMETER: '/floorwatch/test/link-key',
  RENDERER_FOLDER: 'files',
  CORS_ORIGINS: '[]',
};

it('an environment with a missing or misspelt variable does not compile', () => {
  // @ts-expect-error: all but one are missing
  const incomplete: Variables = { WATCH_TABLE: 'watches' };
  // @ts-expect-error: WATCH_TABLE is misspelt
  const misspelt: Variables = { ...complete, WATCHES_TABLE: 'watches' };

  expect([complete, incomplete, misspelt]).toHaveLength(3);
});

it('a function whose folder has no handler is rejected', () => {
  const stack = new Stack(new App({ context: { 'aws:cdk:bundling-stacks': [] } }), 'Stack');

  expect(
    () =>
      new NodeFunction(stack, 'Function', {
        folder: 'deliver-notifications',
        environmentSchema: DrawChartEnvironment,
        environment: complete,
        timeout: Duration.seconds(1),
        memorySize: 128,
        stage: { logRetention: 7, tracing: false, reservesConcurrency: false },
      }),
  ).toThrow('deliver-notifications');
});
