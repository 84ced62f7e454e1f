import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { bundling } from '#infra/stack/bundling.ts';
import { benchOptions } from '#test/support/bench-options.ts';
import { bundleFunctions } from '#test/support/bundles.ts';

/**
 * The cold start of each real bundle: the CPU time of a fresh process until its handler is loaded.
 * The references are a bare handler and, for each set of AWS clients, a bundle that contains only
 * them, middy and zod. All are started in turn, so that other load on the machine affects all
 * equally; the ratios are valid on any machine, the milliseconds are not.
 */
const values = benchOptions('bench:cold', {
  starts: { type: 'string', default: '25' },
  json: { type: 'boolean', default: false },
});
const STARTS = Number(values.starts);
const ORIGIN = 'https://sqs.us-east-1.amazonaws.com';

/** A module to start, with the CPU milliseconds of each start so far. */
type Candidate = {
  readonly file: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly milliseconds: number[];
};

/** How to import, create and use each client, so that tree shaking keeps it. */
const REFERENCES: Readonly<
  Record<string, { readonly imports: string; readonly makes: string; readonly uses: string }>
> = {
  dynamodb: {
    imports: `
      import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
      import { DeleteCommand, DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';`,
    makes: `const table = DynamoDBDocumentClient.from(new DynamoDBClient({ maxAttempts: 3 }));`,
    uses: `for (const Command of [DeleteCommand, GetCommand, PutCommand, QueryCommand]) await table.send(new Command(event));`,
  },
  sns: {
    imports: `import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';`,
    makes: `const topics = new SNSClient({ maxAttempts: 1 });`,
    uses: `await topics.send(new PublishCommand(event));`,
  },
  sqs: {
    imports: `import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';`,
    makes: `const queues = new SQSClient({ maxAttempts: 3, useQueueUrlAsEndpoint: false });`,
    uses: `await queues.send(new SendMessageBatchCommand(event));`,
  },
};

// A folder in which the SDK can be resolved.
const sources = 'node_modules/.cache/floorwatch-cold';
rmSync(sources, { recursive: true, force: true });
mkdirSync(sources, { recursive: true });

process.stderr.write('bundling\n');
const { functions } = bundleFunctions();
const bare = candidate(written('bare.cjs', 'exports.handler = async () => {};'));
const rows = functions.map(({ folder, file, variablesOn }) => ({
  folder,
  clients: clientsIn(file),
  bundle: candidate(file, variablesOn(ORIGIN)),
}));
const references = new Map(
  bundleReferences(new Set(rows.map(({ clients }) => clients.join(' ')))).map(([clients, file]) => [
    clients,
    candidate(file, { WATCH_TABLE: 'watches' }),
  ]),
);

const all = [bare, ...references.values(), ...rows.map(({ bundle }) => bundle)];
for (let start = 1; start <= STARTS; start += 1) {
  process.stderr.write(`start ${start} of ${STARTS} of each\n`);
  for (const one of all) one.milliseconds.push(millisecondsToStart(one));
}

const results = rows.map(({ folder, clients, bundle }) => {
  const reference = references.get(clients.join(' ')) ?? bare;
  const [ms, bareMs, clientsMs] = [bundle, bare, reference].map((one) => median(one.milliseconds));
  const nothing = Number.NaN;
  return {
    function: folder,
    kilobytes: Math.round(statSync(bundle.file).size / 1000),
    clients,
    milliseconds: ms ?? nothing,
    timesBare: (ms ?? nothing) / (bareMs ?? nothing),
    timesClients: (ms ?? nothing) / (clientsMs ?? nothing),
  };
});

if (values.json) {
  for (const result of results) process.stdout.write(`${JSON.stringify(result)}\n`);
} else {
  const bareMs = median(bare.milliseconds).toFixed(1);
  process.stdout.write(
    `CPU time of ${STARTS} fresh starts of each, medians; a bare handler takes ${bareMs} ms\n` +
      '                         kB      ms   x bare   x its clients alone\n',
  );
  for (const result of results) {
    const cells = [
      result.function.padEnd(20),
      String(result.kilobytes).padStart(7),
      result.milliseconds.toFixed(1).padStart(7),
      result.timesBare.toFixed(2).padStart(8),
      result.timesClients.toFixed(2).padStart(8),
      `  ${result.clients.join(', ')}`,
    ];
    process.stdout.write(`${cells.join(' ')}\n`);
  }
}
rmSync(sources, { recursive: true });

/** The SDK clients in a bundle, found by their service ids. */
function clientsIn(file: string): readonly string[] {
  const services = readFileSync(file, 'utf8').matchAll(/serviceId\?\?"(\w+)"/g);
  return [...services].map(([, name = '']) => name.toLowerCase()).toSorted();
}

/** Bundles each set of clients separately, in the same way as functions. */
function bundleReferences(sets: ReadonlySet<string>): readonly (readonly [string, string])[] {
  return [...sets].map((clients, index) => {
    const entry = written(`reference-${index}.ts`, referenceTo(clients.split(' ')));
    const outfile = join(process.cwd(), sources, `reference-${index}.cjs`);
    buildSync({ ...bundling, entryPoints: [entry], outfile });
    return [clients, outfile];
  });
}

/** The smallest module with these clients. */
function referenceTo(clients: readonly string[]): string {
  const lines = clients.flatMap((client) => REFERENCES[client] ?? []);
  return `
    import middy from '@middy/core';
    import * as z from 'zod';
    ${lines.map(({ imports }) => imports).join('\n')}
    z.object({ WATCH_TABLE: z.string().min(1) }).parse(process.env);
    ${lines.map(({ makes }) => makes).join('\n')}
    export const handler = middy().handler(async (event) => {
      ${lines.map(({ uses }) => uses).join('\n')}
    });`;
}

function written(name: string, source: string): string {
  const file = join(process.cwd(), sources, name);
  writeFileSync(file, source);
  return file;
}

function candidate(file: string, variables: Readonly<Record<string, string>> = {}): Candidate {
  return { file, variables, milliseconds: [] };
}

function millisecondsToStart({ file, variables }: Candidate): number {
  const start = `
    require(${JSON.stringify(file)});
    const { user, system } = process.cpuUsage();
    process.stdout.write(String((user + system) / 1000), () => process.exit());`;
  const env = {
    ...variables,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  };
  return Number(execFileSync(process.execPath, ['-e', start], { env, encoding: 'utf8' }));
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
