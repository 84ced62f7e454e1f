import { App, type AppProps } from 'aws-cdk-lib';
import { FloorwatchStack } from './floorwatch-stack.ts';
import { readSettings, SETTINGS_FOLDER } from './settings.ts';
import { Created, findStage, Stage } from './stages.ts';

export type FloorwatchAppProps = Pick<
  AppProps,
  'context' | 'outdir' | 'builtinCloudFormationValidation' | 'treeMetadata'
> & {
  /**
   * The stage to synthesize. By default the CDK context names it (`-c stage=prod`, otherwise
   * `dev`), and its settings come from the settings folder (`-c settings=FOLDER`).
   */
  readonly stage?: Stage;
};

/**
 * The whole product as one CDK app with one stack, for the CDK command, tests and the local
 * runtime. If a deployment creates the stack or its table, the context names the created resource
 * (`-c creates=stack`).
 */
export function createFloorwatchApp({ stage, ...props }: FloorwatchAppProps = {}): App {
  const app = new App({ ...props, analyticsReporting: false });
  new FloorwatchStack(app, 'Floorwatch', {
    stage: stage ? Stage.parse(stage) : stageOf(app),
    creates: Created.optional().parse(app.node.tryGetContext('creates')),
  });
  return app;
}

function stageOf({ node }: App): Stage {
  const name = String(node.tryGetContext('stage') ?? 'dev');
  const folder = String(node.tryGetContext('settings') ?? SETTINGS_FOLDER);
  return findStage(name, readSettings(folder, name));
}
