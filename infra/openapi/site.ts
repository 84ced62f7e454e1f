import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { INDEX, type SiteIndex } from '#functions/describe-api/site.ts';
import { openApiDocument } from './document.ts';

/** What is served at a path below `/v1`; its place among the files of the site. */
type Page = {
  readonly path: string;
  readonly name: string;
  readonly type: string;
  readonly text: string;
};

/**
 * Puts all that `describe-api` serves into a folder, with an index of it: the document, the page,
 * and the viewer that the page is made of.
 */
export function writeSite(folder: string): void {
  const pages: readonly Page[] = [
    {
      ...{ path: 'openapi.json', name: 'openapi.json', type: 'application/json' },
      text: JSON.stringify(openApiDocument()),
    },
    {
      path: 'docs',
      name: 'docs.html',
      type: 'text/html; charset=utf-8',
      text: ownFile('docs.html'),
    },
    ofDocs('start.js', SCRIPT, ownFile('start.js')),
    ofDocs('swagger-ui.css', 'text/css; charset=utf-8', viewerFile('swagger-ui.css')),
    ofDocs('swagger-ui-bundle.js', SCRIPT, viewerFile('swagger-ui-bundle.js')),
    ...LICENCES.map((name) => ofDocs(name, 'text/plain; charset=utf-8', viewerFile(name))),
  ];
  // A synthesis may be the second one into its folder.
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const { name, text } of pages) writeFileSync(join(folder, name), text);
  const index: SiteIndex = {
    files: Object.fromEntries(
      pages.map(({ path, name, type, text }) => [path, { name, type, etag: tagOf(text) }]),
    ),
  };
  writeFileSync(join(folder, INDEX), JSON.stringify(index));
}

function ofDocs(name: string, type: string, text: string): Page {
  return { path: `docs/${name}`, name, type, text };
}

/** Which go with the viewer wherever it goes. */
const LICENCES = ['LICENSE', 'NOTICE', 'swagger-ui-bundle.js.LICENSE.txt'];

const SCRIPT = 'text/javascript; charset=utf-8';

function ownFile(name: string): string {
  return readFileSync(join(import.meta.dirname, 'page', name), 'utf8');
}

const require = createRequire(import.meta.url);
const viewer = require.resolve('swagger-ui-dist/package.json');

function viewerFile(name: string): string {
  return readFileSync(join(dirname(viewer), name), 'utf8');
}

function tagOf(text: string): string {
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
}
