import { consoleRoutes } from '#functions/serve-pages/console-routes.ts';
import { documentRoutes } from '#functions/serve-pages/document-routes.ts';
import { describeRoutes } from './operation.ts';
import { NOT_MODIFIED } from './preconditions.ts';

const headers = {
  ETag: 'Identifies this version.',
  'Cache-Control': 'How long it may be cached.',
  'Content-Security-Policy': 'What a page may load: its own files only.',
  'Referrer-Policy': 'Links send no referrer.',
  'X-Content-Type-Options': 'The type is as declared.',
};

function served(description: string, type: string) {
  return { 200: { description, headers, type }, 304: { description: NOT_MODIFIED, headers } };
}

/** The interface about itself. Nothing in it is secret, so it needs no key. */
export const interfaceOperations = describeRoutes(documentRoutes, {
  'GET /v1/openapi.json': {
    id: 'getOpenApi',
    tag: 'Interface',
    summary: 'Read this document',
    answers: served('The OpenAPI document.', 'application/json'),
  },
  'GET /v1/docs': {
    id: 'getDocs',
    tag: 'Interface',
    summary: 'Read this document as a page, on which each operation can be tried',
    answers: served('The page.', 'text/html'),
  },
  'GET /v1/docs/{file}': {
    id: 'getDocsFile',
    tag: 'Interface',
    summary: 'Read a file of the page',
    answers: served('The file.', '*/*'),
    problems: ['not_found'],
  },
});

/** The console, for people: a page, and its files. */
export const pageOperations = describeRoutes(consoleRoutes, {
  'GET /': {
    id: 'getRoot',
    tag: 'Interface',
    summary: 'Redirect to the console',
    answers: { 302: { description: 'The console.', headers: { Location: 'The console.' } } },
  },
  'GET /app': {
    id: 'getConsole',
    tag: 'Interface',
    summary: 'Open the console, the page on which people watch their collections',
    answers: {
      ...served('The page.', 'text/html'),
      302: {
        description: 'With a slash at the end: the console is without it.',
        headers: { Location: 'The console.' },
      },
    },
  },
  'GET /app/{file}': {
    id: 'getConsoleFile',
    tag: 'Interface',
    summary: 'Read a file of the console',
    answers: served('The file.', '*/*'),
    problems: ['not_found'],
  },
});
