import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import * as z from 'zod';
import type { Identity } from '#infra/operate/account/identify.ts';
import type { Deployed } from './set-up.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const COMMAND = join(ROOT, 'node_modules', 'aws-cdk', 'bin', 'cdk');

/** The CDK command of this checkout. What it reports its progress goes to stderr. */
export type Cdk = {
  /** Puts into the account what deployments need: a bucket and roles. */
  readonly bootstrap: () => Promise<void>;
  readonly deploy: (stage: string, settingsFolder: string) => Promise<Deployed>;
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
      `cdk ${args[0]} ended with ${code}; it says why above. What is there stays as it was: when the cause is mended, the same command goes on`,
    );
  };

  return {
    // Elsewhere: in a folder with a cdk.json the app would be synthesized for it.
    bootstrap: () =>
      inFolder(async (folder) => run(['bootstrap', `aws://${account}/${region}`], folder)),

    deploy: (stage, settingsFolder) =>
      inFolder(async (folder) => {
        const outputs = join(folder, 'outputs.json');
        await run(
          [
            // Whoever started us has been reported what is deployed, and has agreed.
            ...['deploy', '--require-approval', 'never', '--outputs-file', outputs],
            ...['-c', `stage=${stage}`, '-c', `settings=${settingsFolder}`],
          ],
          ROOT,
        );
        const reported = Outputs.parse(JSON.parse(await readFile(outputs, 'utf8')));
        const { ApiUrl: url, TableName: tableName } = Stack.parse(reported[`floorwatch-${stage}`]);
        return { url, tableName };
      }),
  };
}

const Outputs = z.record(z.string(), z.unknown());
const Stack = z.object({ ApiUrl: z.url(), TableName: z.string() });

async function inFolder<Value>(work: (folder: string) => Promise<Value>): Promise<Value> {
  const folder = await mkdtemp(join(tmpdir(), 'floorwatch-setup-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
