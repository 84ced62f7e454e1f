import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { createFloorwatchApp } from '#infra/stack/floorwatch-app.ts';
import { findStage, Settings } from '#infra/stack/stages.ts';

/** Synthesizes the stack without bundling and sends its template to the parent process. */

const [, , given = ''] = process.argv;
const { root, outdir, stage } = z
  .object({ root: z.string(), outdir: z.string(), stage: Settings })
  .parse(JSON.parse(given));
const { context } = z
  .object({ context: z.record(z.string(), z.unknown()) })
  .parse(JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8')));

const app = createFloorwatchApp({
  stage: { ...findStage('dev', stage), name: 'local' },
  outdir,
  context: {
    ...context,
    // Tests run the functions from their sources, so nothing is bundled or copied.
    'aws:cdk:bundling-stacks': [],
    'aws:cdk:disable-asset-staging': true,
  },
});
process.send?.(app.synth().stacks.map(({ template }): unknown => template));
