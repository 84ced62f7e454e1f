import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/**
 * Which layer may import what. Everything may import its own folder; nothing else is allowed. A
 * file is of the first layer that names it.
 */
const layers: readonly { readonly files: string; readonly may: readonly (string | RegExp)[] }[] = [
  {
    files: 'shared/domain/**/*.ts',
    // Of `node:net` the arithmetic of addresses.
    may: ['zod', '#shared/domain/', 'node:crypto', 'node:net', 'node:util'],
  },
  {
    files: 'shared/stores/*.ts',
    may: ['zod', '#shared/domain/', '@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb'],
  },
  {
    files: 'shared/clients/*.ts',
    may: [
      'zod',
      '#shared/domain/',
      '@aws-sdk/',
      '@smithy/core/checksum',
      '@smithy/signature-v4',
      'node:dns/promises',
      'node:net',
      'node:https',
      'node:http',
      'node:util',
      'node:zlib',
      'node:crypto',
    ],
  },
  {
    files: 'shared/runtime/*.ts',
    may: [
      'zod',
      '#shared/domain/',
      '@middy/',
      'aws-lambda',
      'node:async_hooks',
      'node:crypto',
      'node:timers/promises',
    ],
  },
  {
    files: 'shared/http/*.ts',
    may: ['zod', '#shared/domain/', '#shared/runtime/', '@middy/', 'aws-lambda', 'node:crypto'],
  },
  {
    files: 'functions/*/handler.ts',
    may: ['#shared/', '@aws-sdk/', '@middy/', 'aws-lambda', 'node:crypto', 'node:fs'],
  },
  {
    files: 'functions/*/*routes.ts',
    may: ['zod', '#shared/domain/', '#shared/http/', 'aws-lambda'],
  },
  // What a function takes and answers, for the OpenAPI document.
  {
    files: 'functions/*/{requests,answers}.ts',
    may: ['zod', '#shared/domain/', '#shared/http/cursor.ts', '#shared/http/answer-shapes.ts'],
  },
  // Only a request has a caller; what must have one asks for it by that type.
  {
    files: 'functions/*/*.ts',
    may: [
      'zod',
      '#shared/domain/',
      '#shared/http/cross-origin.ts',
      '#shared/http/caller.ts',
      '#shared/http/idempotency.ts',
      '#shared/http/own-contracts.ts',
      'node:util',
    ],
  },
  {
    files: 'infra/*.ts',
    may: [
      'aws-cdk-lib',
      'cdk-nag',
      'constructs',
      'zod',
      'node:fs',
      'node:path',
      'node:url',
      '#shared/domain/nft-data/sources.ts',
      '#shared/domain/polling/upstream-limits.ts',
      '#shared/http/problem.ts',
      '#shared/runtime/metrics.ts',
      /^#functions\/[^/]+\/environment\.ts$/,
    ],
  },
  { files: 'infra/stand-ins/*.ts', may: [] },
  {
    files: 'infra/openapi/*.ts',
    may: [
      'zod',
      'node:',
      '#shared/domain/',
      '#shared/http/problem.ts',
      '#shared/http/answer-shapes.ts',
      /^#functions\/[^/]+\/(requests|answers|site)\.ts$/,
    ],
  },
  {
    files: 'infra/operate/*.ts',
    may: [
      '@aws-sdk/client-sqs',
      '@aws-sdk/client-dynamodb',
      '#infra/settings.ts',
      '#infra/stages.ts',
      'zod',
      'node:',
    ],
  },
  {
    files: 'infra/operate/{account,setup,destroy,status}/*.ts',
    may: [
      '@aws-sdk/',
      '#infra/concurrency.ts',
      '#infra/operate/',
      '#infra/runbook.ts',
      '#infra/settings.ts',
      '#infra/stages.ts',
      '#infra/thresholds.ts',
      '#shared/',
      'zod',
      'node:',
    ],
  },
  {
    files: 'infra/operate/{import,keys}/*.ts',
    may: ['#infra/operate/', '#shared/', 'zod', 'node:'],
  },
  {
    files: 'infra/local/runtime/*.ts',
    may: ['#infra/local/runtime/', 'dynalite', 'fauxqs', '@aws-sdk/', 'zod', 'node:'],
  },
  {
    files: 'infra/local/**/*.ts',
    // The market is reported by our own service of the interface.
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
  it.each(paths)('%s imports only what its layer may', (file) => {
    const forbidden = importsOf(file).filter(
      (specifier) =>
        !specifier.startsWith('./') && !may.some((allowed) => matches(specifier, allowed)),
    );
    expect(forbidden).toEqual([]);
  });
});

it('covers every source file', () => {
  expect([...seen].toSorted()).toEqual(globSync('{infra,functions,shared}/**/*.ts').toSorted());
});

it('keeps the top level that was asked for', () => {
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
