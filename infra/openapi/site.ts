import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { HTML, type Page, PLAIN, SCRIPT, STYLES } from '#infra/pages/write-site.ts';
import { openApiDocument } from './document.ts';

/** The document, its page, and the viewer on that page. */
export function documentPages(): readonly Page[] {
  const pages: readonly Omit<Page, 'caching'>[] = [
    {
      ...{ path: 'openapi.json', name: 'openapi.json', type: 'application/json' },
      text: JSON.stringify(openApiDocument()),
    },
    { path: 'docs', name: 'docs.html', type: HTML, text: ownFile('docs.html') },
    ofDocs('docs.css', STYLES, ownFile('docs.css')),
    ...['theme.js', 'start.js'].map((name) => ofDocs(name, SCRIPT, ownFile(name))),
    ofDocs('swagger-ui.css', STYLES, viewerFile('swagger-ui.css')),
    ofDocs('swagger-ui-bundle.js', SCRIPT, viewerFile('swagger-ui-bundle.js')),
    ...LICENCES.map((name) => ofDocs(name, PLAIN, viewerFile(name))),
  ];
  return pages.map((page) => ({ ...page, caching: 'public, max-age=300' }));
}

function ofDocs(name: string, type: string, text: string): Omit<Page, 'caching'> {
  return { path: `docs/${name}`, name, type, text };
}

/** The licences that must accompany the viewer. */
const LICENCES = ['LICENSE', 'NOTICE', 'swagger-ui-bundle.js.LICENSE.txt'];

function ownFile(name: string): string {
  return readFileSync(join(import.meta.dirname, 'page', name), 'utf8');
}

const require = createRequire(import.meta.url);
const viewer = require.resolve('swagger-ui-dist/package.json');

function viewerFile(name: string): string {
  return readFileSync(join(dirname(viewer), name), 'utf8');
}
