import { cpSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type BuildOptions, buildSync } from 'esbuild';

/** The folder of the sources of all functions. */
export const FUNCTIONS = join(import.meta.dirname, '..', '..', 'functions');

/** The folder of a function's files, relative to the working directory of a deployed function. */
export const FILES = 'files';

/** Parts of the SDK that our functions do not need, with the smaller files that replace them. */
const standIns = {
  '@aws-sdk/credential-provider-node': 'environment-credentials.ts',
  '@aws-sdk/middleware-endpoint-discovery': 'no-endpoint-discovery.ts',
  '@smithy/core/event-streams': 'no-event-streams.ts',
};

/**
 * The options of the bundles. The format is CommonJS, because an ESM bundle that imports
 * `node:http` loads undici. `mainFields` prefers ES modules, because tree shaking needs them. The
 * bundle contains the SDK, because the copy in Lambda is larger and its version changes. Together
 * these settings more than halve a cold start.
 */
export const bundling = {
  ...{ bundle: true, minify: true, platform: 'node', format: 'cjs', target: 'node24' },
  mainFields: ['module', 'main'],
  // The renderer of pictures checks whether these classes exist, and the check would load undici.
  define: { Request: 'undefined', Response: 'undefined' },
  // The SDK imports `node:http` on demand. A dynamic import in the bundle would load undici, but
  // `require` does not.
  supported: { 'dynamic-import': false },
  alias: Object.fromEntries(
    Object.entries(standIns).map(([module, file]) => [
      module,
      join(import.meta.dirname, 'stand-ins', file),
    ]),
  ),
  logLevel: 'warning',
} satisfies BuildOptions;

/**
 * Writes the bundle of a function into a folder, with a copy of the files that the function reads.
 * Returns the folder.
 */
export function writeBundle(outdir: string, name: string, files: string | undefined): string {
  built ??= bundleFunctions();
  const bundle = built.get(name);
  if (bundle === undefined) throw new Error(`functions/${name} has no handler.ts`);
  const folder = join(outdir, 'bundles', name);
  // CDK keeps its output folder, and the bundle must not contain files of an earlier synthesis.
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'index.js'), bundle);
  if (files !== undefined) cpSync(files, join(folder, FILES), { recursive: true });
  return folder;
}

/** Cached, because one build of all functions is much faster than a build of each. */
let built: ReadonlyMap<string, Uint8Array> | undefined;

function bundleFunctions(): ReadonlyMap<string, Uint8Array> {
  const handlers = globSync('*/handler.ts', { cwd: FUNCTIONS }).map(dirname);
  const { outputFiles } = buildSync({
    ...bundling,
    entryPoints: Object.fromEntries(
      handlers.map((name) => [name, join(FUNCTIONS, name, 'handler.ts')]),
    ),
    outdir: FUNCTIONS,
    write: false,
  });
  return new Map(outputFiles.map(({ path, contents }) => [basename(path, '.js'), contents]));
}
