import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { openApiDocument } from './document.ts';

type File = { readonly type: string; readonly text: string };

/**
 * All that `describe-api` serves, by its path below `/v1`, as the one file that it reads: the
 * document, the page, and the viewer that the page is made of.
 */
export function siteText(): string {
  const files: Readonly<Record<string, File>> = {
    'openapi.json': { type: 'application/json', text: JSON.stringify(openApiDocument()) },
    docs: { type: 'text/html; charset=utf-8', text: ownFile('docs.html') },
    'docs/start.js': { type: SCRIPT, text: ownFile('start.js') },
    'docs/swagger-ui.css': { type: 'text/css; charset=utf-8', text: viewerFile('swagger-ui.css') },
    'docs/swagger-ui-bundle.js': { type: SCRIPT, text: viewerFile('swagger-ui-bundle.js') },
    ...Object.fromEntries(
      LICENCES.map((name) => [
        `docs/${name}`,
        { type: 'text/plain; charset=utf-8', text: viewerFile(name) },
      ]),
    ),
  };
  return JSON.stringify(
    Object.fromEntries(
      Object.entries(files).map(([path, file]) => [path, { ...file, etag: tagOf(file) }]),
    ),
  );
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

function tagOf({ text }: File): string {
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
}
