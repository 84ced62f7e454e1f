import { join } from 'node:path';
import { type BundlingOptions, LogLevel, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';

/** What the SDK brings along for others: each is bundled as the file that stands in for it. */
const standIns = {
  '@aws-sdk/credential-provider-node': 'environment-credentials.ts',
  '@aws-sdk/middleware-endpoint-discovery': 'no-endpoint-discovery.ts',
  '@smithy/core/event-streams': 'no-event-streams.ts',
};

/**
 * How functions are bundled. CommonJS, because an ESM bundle that imports `node:http` loads undici;
 * `module` first, because it is what can be shaken; the SDK inside, since what Lambda has of it is
 * larger and of any version. Together that more than halves a cold start.
 */
export const bundling: BundlingOptions = {
  format: OutputFormat.CJS,
  target: 'node24',
  mainFields: ['module', 'main'],
  minify: true,
  bundleAwsSDK: true,
  // To ask whether something is one of these, as the renderer of pictures does, loads undici.
  define: { Request: 'undefined', Response: 'undefined' },
  esbuildArgs: {
    // The SDK imports `node:http` on demand; an import that stays one loads undici, `require` does not.
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

/** Within a bundle, in which a function starts: where its files are. */
export const FILES = 'files';

/** The same, with a folder of files beside the code. */
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
