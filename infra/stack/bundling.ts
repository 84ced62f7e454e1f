import { join } from 'node:path';
import { type BundlingOptions, LogLevel, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';

/** Parts of the SDK that our functions do not need, with the smaller files that replace them. */
const standIns = {
  '@aws-sdk/credential-provider-node': 'environment-credentials.ts',
  '@aws-sdk/middleware-endpoint-discovery': 'no-endpoint-discovery.ts',
  '@smithy/core/event-streams': 'no-event-streams.ts',
};

/**
 * The bundling of functions. The format is CommonJS, because an ESM bundle that imports `node:http`
 * loads undici. `mainFields` prefers ES modules, because tree shaking needs them. The bundle
 * contains the SDK, because the copy in Lambda is larger and its version changes. Together these
 * settings more than halve a cold start.
 */
export const bundling: BundlingOptions = {
  format: OutputFormat.CJS,
  target: 'node24',
  mainFields: ['module', 'main'],
  minify: true,
  bundleAwsSDK: true,
  // The renderer of pictures checks whether these classes exist, and the check would load undici.
  define: { Request: 'undefined', Response: 'undefined' },
  esbuildArgs: {
    // The SDK imports `node:http` on demand. A dynamic import in the bundle would load undici, but
    // `require` does not.
    '--supported:dynamic-import': 'false',
    ...Object.fromEntries(
      Object.entries(standIns).map(([module, file]) => [
        `--alias:${module}`,
        join(import.meta.dirname, 'stand-ins', file),
      ]),
    ),
  },
  logLevel: LogLevel.WARNING,
};

/** The folder of a function's files, relative to the working directory of a deployed function. */
export const FILES = 'files';

/** The same options, with a copy of a folder beside the code. */
export function withFiles(folder: string): BundlingOptions {
  const copy = (outputDir: string) =>
    `node -e "fs.cpSync(process.argv[1], process.argv[2], { recursive: true })" "${folder}" "${join(outputDir, FILES)}"`;
  return {
    ...bundling,
    commandHooks: {
      beforeBundling: () => [],
      beforeInstall: () => [],
      afterBundling: (_inputDir, outputDir) => [copy(outputDir)],
    },
  };
}
