import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cdkContext, resourcesOf, Template } from './synthesized.ts';

const outdir = mkdtempSync(join(tmpdir(), 'floorwatch-bundles-'));
// As the CDK command runs the app, and without its chatter.
execFileSync(process.execPath, ['infra/app.ts'], {
  env: {
    // biome-ignore lint/style/noProcessEnv: bundling needs the PATH of whoever runs the tests
    ...process.env,
    CDK_OUTDIR: outdir,
    CDK_CONTEXT_JSON: JSON.stringify({ ...cdkContext, 'aws:cdk:enable-asset-metadata': true }),
    CDK_VALIDATION: 'false',
  },
  stdio: 'pipe',
});
const template = Template.parse(
  JSON.parse(readFileSync(join(outdir, 'Floorwatch.template.json'), 'utf8')),
);
const [layer = ''] = Object.values(resourcesOf(template, 'AWS::Lambda::LayerVersion')).map(
  ({ Metadata }) => join(outdir, Metadata['aws:asset:path']),
);
const functions = Object.values(resourcesOf(template, 'AWS::Lambda::Function')).map(
  ({ Metadata, Properties }) => ({
    folder: String(Metadata['floorwatch:folder']),
    bundle: join(outdir, Metadata['aws:asset:path'], 'index.js'),
    environment: literal(Properties.Environment.Variables),
  }),
);

/** Each byte is read and compiled at every cold start, and that time is billed. */
const kilobytes: Readonly<Record<string, number>> = {
  'authorize-request': 281,
  // The clients of the table, topics and queues, and one for each kind of channel.
  'deliver-messages': 409,
  'describe-api': 103,
  'dispatch-work': 342,
  'manage-channels': 410,
  // All that changes a list, and what judges watches, by which it tells what comes next.
  'manage-watchlists': 447,
  'notify-watchers': 413,
  // A preview takes all that judges watches and words what they say, and the client of the upstream.
  'read-contracts': 399,
  'run-contracts': 416,
  'serve-nft-data': 346,
};

it('bundles every function', () => {
  expect(functions.map(({ folder }) => folder).toSorted()).toEqual(Object.keys(kilobytes));
});

describe.each(functions)('$folder', ({ folder, bundle, environment }) => {
  it('is as large as listed, within a tenth', () => {
    const growth = statSync(bundle).size / 1000 / (kilobytes[folder] ?? 0);

    expect(growth).toBeGreaterThan(0.9);
    expect(growth).toBeLessThan(1.1);
  });

  it('starts with the variables of the template, and loads nothing that is slow and never used', () => {
    const script = `
      const { handler } = require(${JSON.stringify(bundle)});
      process.stdout.write(JSON.stringify({ handler: typeof handler, loaded: process.moduleLoadList }));
      process.exit();`;
    const output = execFileSync(process.execPath, ['-e', script], {
      env: { ...environment, ...lambda },
      encoding: 'utf8',
    });
    const { handler, loaded }: { handler: string; loaded: string[] } = JSON.parse(output);

    expect(handler).toBe('function');
    expect(
      loaded.filter((module) => /NativeModule (.*undici|http2|child_process)$/.test(module)),
    ).toEqual([]);
  });
});

/** What Lambda adds to the variables of the template. */
const lambda = {
  AWS_REGION: 'eu-west-1',
  AWS_ACCESS_KEY_ID: 'AKID',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_SESSION_TOKEN: 'token',
};

/** What is known only after deployment reads like the address of a queue; `/opt` is the layer. */
function literal(variables: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [
      name,
      typeof value === 'string'
        ? value.replace(/^\/opt\//, `${layer}/`)
        : 'https://sqs.eu-west-1.amazonaws.com/1/queue.fifo',
    ]),
  );
}
