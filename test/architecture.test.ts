import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

/** The code for stored and requested channels that does not depend on their kinds. */
const CHANNELS =
  /^#shared\/channels\/(destination|channel|channel-body|keep-channels|channel-kind|kinds|channel-partition)\.ts$/;

/** The schemas of answers, with descriptions. Functions import only their types. */
const ANSWERS =
  /^#functions\/.+\/answers(\/[\w-]+)?\.ts$|^#shared\/(channels\/channel-answers|http\/(answer-shapes|described))\.ts$/;

/**
 * The allowed imports of each layer. A file may also import its own folder. Each file belongs to
 * the first layer whose pattern matches it.
 */
const layers: readonly { readonly files: string; readonly may: readonly (string | RegExp)[] }[] = [
  {
    files: 'shared/domain/**/*.ts',
    // `node:net` is allowed only because it computes with IP addresses.
    may: [
      'zod',
      '#shared/domain/',
      CHANNELS,
      'fastest-levenshtein',
      'node:crypto',
      'node:net',
      'node:util',
    ],
  },
  // Code that several functions share and that calls ports.
  {
    files: 'shared/use-cases/*.ts',
    may: ['#shared/domain/', CHANNELS, 'node:async_hooks', 'node:util'],
  },
  // Each kind of channel has a folder. Only the code that posts may use clients and cryptography.
  {
    files:
      'shared/channels/{post-to-webhook,post-to-chat,chats,channel-sender,destinations,*/post}.ts',
    may: ['zod', '#shared/domain/', '#shared/clients/', '#shared/channels/', 'node:crypto'],
  },
  {
    files: 'shared/channels/channel-answers.ts',
    may: ['zod', '#shared/domain/', '#shared/http/described.ts'],
  },
  // The fake device has its own decryption code, which verifies the code that encrypts.
  {
    files: 'shared/channels/push/double.ts',
    may: ['zod', '#shared/domain/', '#shared/channels/', 'node:crypto'],
  },
  { files: 'shared/channels/**/*.ts', may: ['zod', '#shared/domain/', '#shared/channels/'] },
  {
    files: 'shared/stores/*.ts',
    may: [
      'zod',
      '#shared/domain/',
      CHANNELS,
      '#shared/use-cases/',
      '@aws-sdk/client-dynamodb',
      '@aws-sdk/lib-dynamodb',
      'node:async_hooks',
    ],
  },
  {
    files: 'shared/clients/*.ts',
    may: [
      'zod',
      '#package.json',
      '#shared/domain/',
      '#shared/use-cases/',
      '@aws-sdk/',
      '@smithy/core/checksum',
      '@smithy/signature-v4',
      '@resvg/resvg-wasm',
      'node:dns/promises',
      'node:net',
      'node:https',
      'node:http',
      'node:util',
      'node:zlib',
      'node:crypto',
    ],
  },
  // Each price provider has a folder.
  {
    files: 'shared/providers/**/*.ts',
    may: ['zod', '#shared/domain/', '#shared/use-cases/', '#shared/clients/', '#shared/providers/'],
  },
  {
    files: 'shared/runtime/*.ts',
    may: [
      'zod',
      '#shared/domain/',
      '#shared/channels/secret-forms.ts',
      '@middy/',
      'aws-lambda',
      'node:async_hooks',
      'node:crypto',
      'node:timers/promises',
    ],
  },
  {
    files: 'shared/http/*.ts',
    may: [
      'zod',
      '#shared/domain/',
      '#shared/use-cases/',
      '#shared/runtime/',
      '@middy/',
      'aws-lambda',
      'node:crypto',
    ],
  },
  // Connects each function to AWS.
  {
    files: 'shared/outside/*.ts',
    may: [
      CHANNELS,
      '#shared/channels/destinations.ts',
      '#shared/clients/',
      '#shared/domain/',
      '#shared/providers/',
      '#shared/runtime/',
      '#shared/stores/',
      '#shared/use-cases/',
      '@aws-sdk/',
      'node:crypto',
    ],
  },
  {
    files: 'functions/*/handler.ts',
    may: [
      '#shared/outside/',
      '#shared/channels/destinations.ts',
      '#shared/clients/',
      '#shared/providers/',
      '#shared/runtime/trace.ts',
      'node:fs',
    ],
  },
  // The code of a function, to which its AWS clients are passed.
  {
    files: 'functions/*/function.ts',
    may: ['#shared/', '@middy/', 'aws-lambda', 'node:fs'],
  },
  // Builds the ports of a function from the given clients.
  {
    files: 'functions/{*,serve-api/*}/{compose,outside}.ts',
    may: ['#shared/', '#functions/serve-api/outside.ts', 'node:fs'],
  },
  { files: 'functions/*/page.ts', may: ['#shared/domain/'] },
  {
    files: 'functions/serve-pages/service-worker/*.ts',
    // Only the type of messages.
    may: ['#shared/channels/push/message.ts'],
  },
  {
    files: 'functions/serve-pages/console/**/*.{ts,tsx}',
    // Only types of the HTTP interface: of its routes, responses and messages.
    may: [
      '#console/',
      '@preact/signals',
      'lean-qr',
      'lightweight-charts',
      'preact',
      'zod',
      /^#functions\/[^/]+\/([^/]+\/)?routes\.ts$/,
      ANSWERS,
      /^#shared\/channels\/[^/]+\/message\.ts$/,
      // The choices for a snooze, which are also links in messages.
      '#shared/domain/alerting/snooze-choice.ts',
      // The exact arithmetic of prices; this file imports nothing.
      '#shared/domain/market/decimal.ts',
      // The keys and names of ratios; this file imports nothing.
      '#shared/domain/market/derived-key.ts',
    ],
  },
  {
    files: 'functions/{*,serve-api/*}/*routes.ts',
    may: ['zod', '#shared/domain/', CHANNELS, '#shared/use-cases/', '#shared/http/', 'aws-lambda'],
  },
  // The schemas of a function's answers.
  {
    files: 'functions/{*,serve-api/*}/{answers,answers/*}.ts',
    may: ['zod', '#shared/domain/', CHANNELS, ANSWERS],
  },
  // The schemas of a function's requests.
  {
    files: 'functions/{*,serve-api/*}/requests.ts',
    may: ['zod', '#shared/domain/', CHANNELS, '#shared/use-cases/', '#shared/http/cursor.ts'],
  },
  {
    files: 'functions/*/environment.ts',
    may: [
      'zod',
      '#shared/domain/',
      '#shared/channels/chat-origins.ts',
      '#shared/http/cross-origin.ts',
      '#shared/runtime/operator-variables.ts',
      '#shared/runtime/upstream-variables.ts',
    ],
  },
  // The ports of a use case. Their types come from stores and from other use cases.
  {
    files: 'functions/{*,serve-api/*}/ports.ts',
    may: [
      '#shared/domain/',
      CHANNELS,
      '#shared/stores/',
      '#shared/use-cases/',
      ANSWERS,
      '#shared/http/caller.ts',
      '#shared/http/find-collections.ts',
      '#shared/http/idempotency.ts',
    ],
  },
  // Only HTTP requests have a caller. Code that needs the caller takes a parameter of the type
  // `Caller`.
  {
    files: 'functions/{*,serve-api/*}/*.ts',
    may: [
      'zod',
      '#shared/domain/',
      CHANNELS,
      '#shared/channels/messages.ts',
      '#shared/use-cases/',
      ANSWERS,
      '#shared/http/cross-origin.ts',
      '#shared/http/caller.ts',
      '#shared/http/find-collections.ts',
      '#shared/http/forecast-view.ts',
      '#shared/http/idempotency.ts',
      '#shared/http/own-contracts.ts',
      '#shared/http/price-view.ts',
      '#shared/http/refusal-problem.ts',
      'node:util',
    ],
  },
  {
    files: 'infra/stack/*.ts',
    may: [
      'aws-cdk-lib',
      'cdk-nag',
      'constructs',
      'esbuild',
      'zod',
      'node:crypto',
      'node:fs',
      'node:module',
      'node:path',
      'node:url',
      '#infra/http/',
      '#infra/openapi/site.ts',
      '#infra/pages/',
      '#shared/channels/chat-origins.ts',
      '#shared/domain/channels/list-topic.ts',
      '#shared/domain/channels/operator-alerts.ts',
      '#shared/domain/json-text.ts',
      '#shared/domain/market/operations.ts',
      '#shared/domain/market/canary.ts',
      '#shared/domain/market/provider.ts',
      '#shared/domain/nft-data/sources.ts',
      '#shared/domain/polling/provider-limits.ts',
      '#shared/domain/polling/upstream-limits.ts',
      '#shared/runtime/operator-variables.ts',
      '#shared/runtime/upstream-variables.ts',
      '#shared/http/route.ts',
      '#shared/runtime/metrics.ts',
      /^#functions\/[^/]+\/(environment|routes)\.ts$/,
    ],
  },
  { files: 'infra/stack/stand-ins/*.ts', may: [] },
  // The HTTP interface as API Gateway serves it, without the descriptions in its OpenAPI document.
  {
    files: 'infra/http/*.ts',
    may: [
      '#infra/openapi/gateway-problems.ts',
      '#shared/http/problem.ts',
      '#shared/http/route.ts',
      /^#functions\/[^/]+\/([^/]+\/)?routes\.ts$/,
    ],
  },
  { files: 'infra/pages/*.ts', may: ['esbuild', 'node:', '#shared/http/site.ts'] },
  {
    files: 'infra/openapi/*.ts',
    may: [
      'zod',
      'node:',
      '#shared/domain/',
      '#shared/channels/',
      ANSWERS,
      '#shared/http/problem.ts',
      '#shared/http/route.ts',
      '#infra/pages/write-site.ts',
      /^#functions\/[^/]+\/([^/]+\/)?(\w+-routes|\w+-columns|routes|requests)\.ts$/,
    ],
  },
  {
    files: 'infra/command-line/*.ts',
    may: [
      'commander',
      'zod',
      'node:process',
      '#shared/domain/market/provider.ts',
      '#shared/domain/polling/provider-limits.ts',
    ],
  },
  {
    files: 'infra/operate/*.ts',
    may: [
      '#infra/command-line/',
      '@aws-sdk/client-sqs',
      '#infra/stack/settings.ts',
      '#infra/stack/stages.ts',
      '#shared/domain/',
      '#shared/stores/',
      'zod',
      'node:',
    ],
  },
  {
    files: 'infra/operate/{account,canary,setup,destroy,restore,status}/*.ts',
    may: [
      '@aws-sdk/',
      '#infra/command-line/',
      '#infra/stack/concurrency.ts',
      '#infra/operate/',
      '#infra/stack/runbook.ts',
      '#infra/stack/settings.ts',
      '#infra/stack/stages.ts',
      '#infra/stack/table-schema.ts',
      '#infra/stack/thresholds.ts',
      '#infra/stack/upstream-variables.ts',
      '#shared/',
      'zod',
      'node:',
    ],
  },
  {
    files: 'infra/operate/{import,keys,probe}/*.ts',
    may: ['#infra/command-line/', '#infra/operate/', '#shared/', 'zod', 'node:'],
  },
  // Leaves validation to the HTTP interface, so it imports no schemas of requests.
  {
    files: 'infra/operate/watchlists/*.ts',
    may: [
      '#infra/command-line/',
      '#infra/operate/',
      '#shared/channels/',
      '#shared/domain/',
      'yaml',
      'zod',
      'node:',
    ],
  },
  {
    files: 'infra/local/runtime/*.ts',
    may: ['#infra/local/runtime/', 'zod', 'node:'],
  },
  // Runs all functions in one process.
  {
    files: 'infra/local/world*.ts',
    may: [
      /^#functions\/[^/]+\/function\.ts$/,
      '#infra/http/',
      '#infra/openapi/site.ts',
      '#infra/pages/',
      '#infra/stack/concurrency.ts',
      '#infra/stack/renderer-files.ts',
      '#infra/stack/stages.ts',
      '#infra/stack/upstream-variables.ts',
      '#shared/',
      'aws-lambda',
      'zod',
      'node:',
    ],
  },
  {
    files: 'infra/local/**/*.ts',
    // Prices of the simulated market come from our own implementation of the v2.2 interface.
    may: [
      '#functions/serve-nft-data/',
      '#infra/',
      '#shared/',
      'aws-cdk-lib',
      '@aws-sdk/',
      'standardwebhooks',
      'zod',
      'node:',
    ],
  },
];

const seen = new Set<string>();
const tree = layers.map((layer) => ({
  ...layer,
  paths: globSync(layer.files).filter((path) => {
    const isNew = !seen.has(path) && !path.endsWith('.d.ts');
    seen.add(path);
    return isNew;
  }),
}));

describe.each(tree)('$files', ({ paths, may }) => {
  it.each(paths)('%s imports only the files and packages that its layer allows', (file) => {
    const forbidden = importsOf(file).filter(
      (specifier) =>
        !specifier.startsWith('./') && !may.some((allowed) => matches(specifier, allowed)),
    );
    expect(forbidden).toEqual([]);
  });
});

it('the layers of the architecture cover every source file', () => {
  expect([...seen].toSorted()).toEqual(
    globSync('{infra,functions,shared}/**/*.{ts,tsx}').toSorted(),
  );
});

it('the repository has only the agreed files and folders at its top level', () => {
  const allowed = new Set([
    ...['package.json', 'package-lock.json', 'tsconfig.json', 'cdk.json', 'README.md'],
    ...['infra', 'functions', 'shared', 'test', 'ARCHITECTURE.md', 'CHANGELOG.md', 'LICENSE'],
    ...['node_modules', 'cdk.out', 'coverage'],
  ]);
  const visible = globSync('*').filter((name) => !name.startsWith('.'));
  expect(visible.filter((name) => !allowed.has(name))).toEqual([]);
});

function importsOf(file: string): string[] {
  const source = readFileSync(file, 'utf8');
  const statements = source.matchAll(/^(?:import|export)\b[^;]*?\bfrom '([^']+)'/gm);
  const bare = source.matchAll(/^import '([^']+)'/gm);
  const dynamic = source.matchAll(/\bimport\('([^']+)'\)/g);
  return [...statements, ...bare, ...dynamic].map(([, from = '']) => from);
}

function matches(specifier: string, allowed: string | RegExp): boolean {
  if (allowed instanceof RegExp) return allowed.test(specifier);
  return (
    specifier === allowed || specifier.startsWith(/[/:]$/.test(allowed) ? allowed : `${allowed}/`)
  );
}

it('functions import the schemas of answers only as types, so that no bundle contains their descriptions', () => {
  const bundled = globSync('{functions,shared}/**/*.{ts,tsx}').filter(
    (file) => !ANSWERS.test(`#${file}`),
  );
  const carrying = bundled.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^import (?!type\b)[^;]*?'([^']+)'/gm)]
      .map(([, specifier = '']) => `#${resolved(file, specifier)}`)
      .filter((specifier) => ANSWERS.test(specifier))
      .map((specifier) => `${file} imports ${specifier}`),
  );

  expect(carrying).toEqual([]);
});

it('the ports of a use case import only types', () => {
  const values = globSync('functions/**/ports.ts').filter((file) =>
    /^import (?!type\b)/m.test(readFileSync(file, 'utf8')),
  );

  expect(values).toEqual([]);
});

/** The path, relative to the root, of the file or folder that an import specifier names. */
function resolved(file: string, specifier: string): string {
  return specifier.startsWith('./') ? join(dirname(file), specifier) : specifier.replace(/^#/, '');
}

it('only fakes import fakes (double.ts)', () => {
  const having = globSync('{functions,shared}/**/*.ts').filter(
    (file) =>
      !/\/doubles?\.ts$/.test(file) &&
      importsOf(file).some((specifier) => /\/(double|doubles|chat-double)\.ts$/.test(specifier)),
  );

  expect(having).toEqual([]);
});

it('the domain is synchronous: it uses no async, await or Promise', () => {
  const waiting = globSync('shared/domain/**/*.ts').filter((file) =>
    /\b(async|await|Promise)\b/.test(readFileSync(file, 'utf8')),
  );

  expect(waiting).toEqual([]);
});

/** The layers of the domain. A folder may import the folders before it. */
const FLOORS = [
  ...['market', 'access', 'metrics', 'rules', 'timeline', 'polling', 'alerting', 'charts'],
  ...['evaluation', 'archive', 'nft-data', 'watchlists', 'channels', 'messages'],
];

it('no folder of the domain imports from a higher layer', () => {
  const upward = globSync('shared/domain/*/**/*.ts').flatMap((file) => {
    const floor = FLOORS.indexOf(file.split('/')[2] ?? '');
    const imported = readFileSync(file, 'utf8').matchAll(/'#shared\/domain\/([\w-]+)\//g);
    return [...imported].flatMap(([, name = '']) =>
      FLOORS.indexOf(name) > floor ? [`${file} imports ${name}`] : [],
    );
  });

  expect(upward).toEqual([]);
});

it('every AWS client of the functions has the settings of aws-clients.ts, which contain timeouts', () => {
  const made = globSync('{functions,shared}/**/*.ts').flatMap((file) => {
    const source = readFileSync(file, 'utf8');
    const imports = source.matchAll(/^import \{([^}]*)\} from '@aws-sdk\/client-[^']+';/gm);
    const clients = [...imports]
      .flatMap(([, names = '']) => names.split(',').map((name) => name.trim()))
      .filter((name) => /^\w+$/.test(name) && !name.endsWith('Command'));
    return clients.flatMap((name) => source.match(new RegExp(`new ${name}\\([^)]*\\)`, 'g')) ?? []);
  });

  expect(made.filter((text) => !/^new \w+\(AWS_CLIENTS\.\w+\)$/.test(text))).toEqual([]);
  expect(made.length).toBeGreaterThan(4);
});

it('functions send HTTP requests only through http-client.ts, which has a deadline', () => {
  const requesting = globSync('{functions,shared}/**/*.ts').filter((file) =>
    importsOf(file).some((specifier) => /^(node:)?(https?|http2|undici)$/.test(specifier)),
  );

  expect(requesting).toEqual(['shared/clients/http-client.ts']);
});
