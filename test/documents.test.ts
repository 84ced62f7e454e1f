import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const pages = [
  ...['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md', 'infra/operate/LOGS.md'],
  'infra/operate/RUNBOOK.md',
  ...globSync('{infra,functions,shared,test}/**/README.md', {
    exclude: (name) => name.includes('node_modules'),
  }),
];

it.each([
  { page: 'README.md', most: 9 * 1024 },
  { page: 'ARCHITECTURE.md', most: 12_000 },
])('$page is no longer than $most bytes', ({ page, most }) => {
  expect(readFileSync(page).length).toBeLessThanOrEqual(most);
});

it('LOGS.md lists each log event of the functions', () => {
  const table = readFileSync('infra/operate/LOGS.md', 'utf8');
  const code = globSync('{functions,shared}/**/*.ts').map((path) => readFileSync(path, 'utf8'));
  const logged = code.flatMap((text) => [
    ...text.matchAll(/\b(?:report|log\.(?:info|warn|error))\(\s*'([a-z_]+)'/g),
  ]);
  const events = [...new Set(logged.map(([, event = '']) => event))];

  expect(events.length).toBeGreaterThan(20);
  expect(events.filter((event) => !table.includes(`\`${event}\``))).toEqual([]);
});

describe.each(pages)('%s', (page) => {
  const text = readFileSync(page, 'utf8');

  it('a document links only to files that exist', () => {
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link = '']) => link);

    expect(links.filter((link) => !existsSync(join(dirname(page), link)))).toEqual([]);
  });

  it('the code spans of a document name only files that exist', () => {
    const named = [...text.matchAll(/`((?:infra|functions|shared|test)\/[\w/.-]+\.\w+)`/g)];
    const paths = named.map(([, path = '']) => path);

    expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  });

  // Old entries of the changelog name commands that have been removed since.
  it.skipIf(page === 'CHANGELOG.md')('a document mentions only npm scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
    const named = [...text.matchAll(/npm run (?:--silent )?([a-z][\w:]*)/g)];

    expect(named.map(([, name = '']) => name).filter((name) => !(name in scripts))).toEqual([]);
  });

  it('a document mentions only commands of npm run operate that exist', () => {
    const entry = readFileSync('infra/operate/operate.ts', 'utf8');
    const verbs = [...entry.matchAll(/^ {2}(\w+): \[/gm)].map(([, verb]) => verb);
    const named = [...text.matchAll(/npm run operate -- ([a-z]\w*)/g)].map(([, verb]) => verb);

    expect(verbs).toContain('status');
    expect(named.filter((verb) => !verbs.includes(verb))).toEqual([]);
  });
});
