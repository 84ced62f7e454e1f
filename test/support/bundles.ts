import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { readStack, type Stack } from '#test/support/template.ts';

/** The stack as it would be deployed, with its bundles. */
export type BundledStack = {
  readonly functions: readonly BundledFunction[];
  /** The resources of the template, with queue URLs at the given origin. */
  readonly stackOn: (queueOrigin: string) => Stack;
};

type BundledFunction = {
  readonly folder: string;
  /** CommonJS that exports `handler`. */
  readonly file: string;
  /** The environment variables in the template, with queue URLs at the given origin. */
  readonly variablesOn: (queueOrigin: string) => Readonly<Record<string, string>>;
};

/**
 * Synthesizes the stack of the stage `dev` as the CDK command does, but without the settings of
 * this checkout.
 */
export function bundleFunctions(): BundledStack {
  const outdir = mkdtempSync(join(tmpdir(), 'floorwatch-bundles-'));
  const { context } = CdkJson.parse(JSON.parse(readFileSync('cdk.json', 'utf8')));
  execFileSync(process.execPath, ['infra/stack/app.ts'], {
    env: {
      // biome-ignore lint/style/noProcessEnv: bundling needs the PATH of its caller
      ...process.env,
      CDK_OUTDIR: outdir,
      CDK_CONTEXT_JSON: JSON.stringify({
        ...context,
        'aws:cdk:enable-path-metadata': true,
        'aws:cdk:enable-asset-metadata': true,
        settings: join(outdir, 'no-settings'),
      }),
      CDK_VALIDATION: 'false',
    },
    // Hides the output of CDK.
    stdio: 'pipe',
  });
  const template: unknown = JSON.parse(
    readFileSync(join(outdir, 'Floorwatch.template.json'), 'utf8'),
  );
  const stackOn = (queueOrigin: string) => readStack(template, queueOrigin);
  const functionsOn = (origin: string) => stackOn(origin).find('AWS::Lambda::Function', Lambda);

  const functions = functionsOn('https://sqs.us-east-1.amazonaws.com').map(({ id, metadata }) => {
    const { 'floorwatch:folder': folder, 'aws:asset:path': asset } = Metadata.parse(metadata);
    const variablesOn = (origin: string) => {
      const found = functionsOn(origin).find((one) => one.id === id);
      const variables = found?.properties.Environment.Variables ?? {};
      // In tests a function does not start in the folder of its bundle.
      const folders = Object.entries(variables)
        .filter(([name]) => name.endsWith('_FOLDER'))
        .map(([name, path]) => [name, join(outdir, asset, path)]);
      return { ...variables, ...Object.fromEntries(folders) };
    };
    return { folder, file: join(outdir, asset, 'index.js'), variablesOn };
  });
  return { functions: functions.toSorted((a, b) => (a.folder < b.folder ? -1 : 1)), stackOn };
}

const CdkJson = z.object({ context: z.record(z.string(), z.unknown()) });
const Lambda = z.object({
  Environment: z.object({ Variables: z.record(z.string(), z.string()) }),
});
const Metadata = z.object({ 'floorwatch:folder': z.string(), 'aws:asset:path': z.string() });
