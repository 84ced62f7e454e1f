import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import * as z from 'zod';
import type { Identity } from '#infra/operate/account/identify.ts';
import { writeSettings } from '#infra/stack/settings.ts';
import type { Created, Settings } from '#infra/stack/stages.ts';
import type { Deployed } from './set-up.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const COMMAND = join(ROOT, 'node_modules', 'aws-cdk', 'bin', 'cdk');

/** The CDK command of this checkout. Its output goes to stderr. */
export type Cdk = {
  /** Creates the bucket and roles that deployments need. */
  readonly bootstrap: () => Promise<void>;
  /** `creates` is the resource that this deployment creates and leaves unprotected. */
  readonly deploy: (
    stage: string,
    settingsFolder: string,
    creates: Created | undefined,
  ) => Promise<Deployed>;
  /** Prints the changes of a deployment with these settings. Creates no change set. */
  readonly diff: (stage: string, settings: Settings) => Promise<void>;
};

export function createCdk(
  { account, region }: Identity,
  environment: Readonly<Record<string, string | undefined>>,
): Cdk {
  const env = { ...environment, AWS_REGION: region, AWS_DEFAULT_REGION: region };
  const run = async (args: readonly string[], cwd: string) => {
    const stdio = ['ignore', process.stderr, process.stderr] as const;
    const child = spawn(process.execPath, [COMMAND, ...args], { cwd, env, stdio: [...stdio] });
    const [code] = await once(child, 'exit');
    if (code === 0) return;
    throw new Error(
      `cdk ${args[0]} failed with exit code ${code}; see its error above. Fix the cause and repeat the command; it continues from here`,
    );
  };

  return {
    // Runs in an empty folder, because bootstrap would synthesize the app if it found a cdk.json.
    bootstrap: () =>
      inFolder(async (folder) => run(['bootstrap', `aws://${account}/${region}`], folder)),

    deploy: (stage, settingsFolder, creates) =>
      inFolder(async (folder) => {
        const outputs = join(folder, 'outputs.json');
        await run(
          [
            // The operator has already confirmed the plan.
            ...['deploy', '--require-approval', 'never', '--outputs-file', outputs],
            ...['-c', `stage=${stage}`, '-c', `settings=${settingsFolder}`],
            ...(creates === undefined ? [] : ['-c', `creates=${creates}`]),
          ],
          ROOT,
        );
        const reported = Outputs.parse(JSON.parse(await readFile(outputs, 'utf8')));
        const { ApiUrl, TableName, DomainTarget } = Stack.parse(reported[`floorwatch-${stage}`]);
        return { url: ApiUrl, tableName: TableName, domainTarget: DomainTarget };
      }),

    diff: (stage, settings) =>
      inFolder(async (folder) => {
        writeSettings(folder, stage, settings);
        const context = ['-c', `stage=${stage}`, '-c', `settings=${folder}`];
        await run(['diff', '--method', 'template', ...context], ROOT);
      }),
  };
}

const Outputs = z.record(z.string(), z.unknown());
const Stack = z.object({
  ...{ ApiUrl: z.url(), TableName: z.string(), DomainTarget: z.string().optional() },
});

async function inFolder<Value>(work: (folder: string) => Promise<Value>): Promise<Value> {
  const folder = await mkdtemp(join(tmpdir(), 'floorwatch-setup-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
