import { fork } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import * as z from 'zod';
import type { Settings } from '#infra/stack/stages.ts';

/** The folder that holds `infra`, `functions` and `shared`. */
const projectRoot = join(import.meta.dirname, '..', '..', '..');

/**
 * The template of the stack, synthesized in a separate process, so that CDK's memory is freed.
 * `outdir` contains the files that functions read in addition to their sources.
 */
export async function synthesizeStack(stage: Settings, outdir: string): Promise<unknown> {
  const child = fork(
    new URL('../../infra/synthesized-stack.ts', import.meta.url),
    [JSON.stringify({ root: projectRoot, outdir, stage })],
    {
      cwd: projectRoot,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      // CDK's validation of the template is skipped: it takes longer than everything else, and `cdk
      // synth` runs it anyway.
      env: {
        ...env,
        CDK_VALIDATION: 'false',
        NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'),
      },
    },
  );
  try {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    child.once('message', resolve);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the stack cannot be synthesized (${code})`)));
    const [template] = z.tuple([z.unknown()]).parse(await promise);
    return template;
  } finally {
    child.kill();
  }
}
