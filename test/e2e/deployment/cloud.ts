import { execFile } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import * as z from 'zod';
import type { Ministack } from './ministack.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..', '..', '..');

/**
 * The key that the upstream requires. Commands find this key in the variable `E2E_UPSTREAM_KEY`.
 */
export const UPSTREAM_KEY = 'a-key-of-the-upstream';

/** The maximum duration of a command in milliseconds. */
const LONGEST_COMMAND = 400_000;

const Mappings = z.object({
  EventSourceMappings: z.array(z.object({ UUID: z.string(), EventSourceArn: z.string() })),
});

const Listed = z.object({
  Functions: z.array(z.object({ FunctionName: z.string(), CodeSha256: z.string() })),
});

const Resources = z.object({
  item: z.array(
    z.object({
      path: z.string(),
      resourceMethods: z
        .record(z.string(), z.object({ methodIntegration: z.object({ uri: z.string() }) }))
        .default({}),
    }),
  ),
});

/** The commands of an operator, executed in the emulator. */
export function createCloud({ endpoint, environment }: Ministack, folder: string) {
  const env = {
    ...environment,
    ...{ HOME: folder, CI: 'true', E2E_UPSTREAM_KEY: UPSTREAM_KEY },
    // `cdk synth` validates the same template in CI.
    CDK_VALIDATION: 'false',
  };

  /** Calls an AWS service for which the project has no client. The emulator checks no signature. */
  const call = async (service: string, method: string, path: string, body: string) => {
    const credential = `test/20260101/${environment.AWS_REGION}/${service}/aws4_request`;
    const answer = await fetch(`${endpoint}${path}`, {
      method,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host, Signature=0`,
      },
      ...(body === '' ? {} : { body }),
    });
    return { status: answer.status, text: await answer.text() };
  };

  return {
    /** Runs `npm run operate -- <verb>`, and returns the events that it prints. */
    operate: async (verb: string, args: readonly string[]): Promise<readonly unknown[]> => {
      const command = [join(ROOT, 'infra', 'operate', 'operate.ts'), verb, ...args, '--json'];
      const options = { cwd: ROOT, env, maxBuffer: 64 * 1024 * 1024, timeout: LONGEST_COMMAND };
      const { stdout } = await run(process.execPath, command, options);
      return stdout
        .trim()
        .split('\n')
        .filter((line) => line !== '')
        .map((line): unknown => JSON.parse(line));
    },

    /** The code hash of each function, by function name. */
    codeOfFunctions: async (): Promise<Readonly<Record<string, string>>> => {
      const listed = await call('lambda', 'GET', '/2015-03-31/functions/', '');
      const { Functions } = Listed.parse(JSON.parse(listed.text));
      return Object.fromEntries(
        Functions.map(({ FunctionName, CodeSha256 }) => [FunctionName, CodeSha256]),
      );
    },

    /**
     * The URI of the function behind each method of a gateway, for example for `GET
     * /v1/watchlists`.
     */
    integrationsOf: async (api: string): Promise<ReadonlyMap<string, string>> => {
      const path = `/restapis/${api}/resources?embed=methods&limit=500`;
      const listed = await call('apigateway', 'GET', path, '');
      return new Map(
        Resources.parse(JSON.parse(listed.text)).item.flatMap((resource) =>
          Object.entries(resource.resourceMethods).map(([method, { methodIntegration }]) => [
            `${method} ${resource.path}`,
            methodIntegration.uri,
          ]),
        ),
      );
    },

    /** Starts or stops the delivery of a queue to its function. */
    feed: async (queueName: string, enabled: boolean) => {
      const listed = await call('lambda', 'GET', '/2015-03-31/event-source-mappings/', '');
      const { EventSourceMappings } = Mappings.parse(JSON.parse(listed.text));
      const found = EventSourceMappings.find(({ EventSourceArn }) =>
        EventSourceArn.endsWith(`:${queueName}`),
      );
      if (found === undefined) throw new Error(`nothing takes messages from ${queueName}`);
      const path = `/2015-03-31/event-source-mappings/${found.UUID}`;
      await call('lambda', 'PUT', path, JSON.stringify({ Enabled: enabled }));
    },
  };
}
