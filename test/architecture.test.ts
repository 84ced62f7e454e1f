import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** Which layer may import what. Everything may import its own folder; nothing else is allowed. */
const layers = [
  { files: 'shared/domain/**/*.ts', may: ['zod', '#shared/domain/'] },
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
      'node:https',
      'node:http',
      'node:zlib',
      'node:crypto',
    ],
  },
  {
    files: 'shared/{http,runtime}/*.ts',
    may: ['zod', '#shared/domain/', '#shared/runtime/', '@middy/', 'aws-lambda'],
  },
  { files: 'functions/*/!(handler).ts', may: ['zod', '#shared/domain/'] },
  { files: 'functions/*/handler.ts', may: ['#shared/', '@aws-sdk/', '@middy/', 'aws-lambda'] },
  {
    files: 'infra/*.ts',
    may: ['aws-cdk-lib', 'constructs', 'zod', 'node:path', /^#functions\/[^/]+\/environment\.ts$/],
  },
  {
    files: 'infra/local/**/*.ts',
    may: ['#infra/', 'aws-cdk-lib', 'dynalite', 'fauxqs', '@aws-sdk/', 'zod', 'node:'],
  },
];

describe.each(layers)('$files', ({ files, may }) => {
  it.each(globSync(files))('%s imports only what its layer may', (file) => {
    const forbidden = importsOf(file).filter(
      (specifier) =>
        !specifier.startsWith('./') && !may.some((allowed) => matches(specifier, allowed)),
    );
    expect(forbidden).toEqual([]);
  });
});

it('covers every source file', () => {
  const covered = layers.flatMap(({ files }) => globSync(files));
  expect(covered.toSorted()).toEqual(globSync('{infra,functions,shared}/**/*.ts').toSorted());
});

function importsOf(file: string): string[] {
  const source = readFileSync(file, 'utf8');
  return [...source.matchAll(/^(?:import|export)\b[^;]*?\bfrom '([^']+)'/gm)].map(
    ([, from = '']) => from,
  );
}

function matches(specifier: string, allowed: string | RegExp): boolean {
  if (allowed instanceof RegExp) return allowed.test(specifier);
  return (
    specifier === allowed || specifier.startsWith(allowed.endsWith('/') ? allowed : `${allowed}/`)
  );
}
