import { consoleRoutes } from '#functions/serve-pages/console-routes.ts';
import { documentRoutes } from '#functions/serve-pages/document-routes.ts';
import { describeRoutes } from './operation.ts';
import { NOT_MODIFIED } from './preconditions.ts';

const headers = {
  ETag: 'Identifies this version of the file.',
  'Cache-Control': 'The time for which the file may be cached.',
  'Content-Security-Policy': 'Allows the page to load only its own files.',
  'Referrer-Policy': 'Prevents links from sending a referrer.',
  'X-Content-Type-Options': 'Prevents browsers from guessing another content type.',
};

function served(description: string, type: string) {
  return { 200: { description, headers, type }, 304: { description: NOT_MODIFIED, headers } };
}

/**
 * Documents the operations that return the OpenAPI document and its page. The document contains no
 * secrets, so they need no key.
 */
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
    summary: 'Show this document as a page with a form for each operation',
    answers: served('The page.', 'text/html'),
  },
  'GET /v1/docs/{file}': {
    id: 'getDocsFile',
    tag: 'Interface',
    summary: 'Read a file of the documentation page',
    answers: served('The file.', '*/*'),
    problems: ['not_found'],
  },
});

/** Documents the routes of the console: its page and its files. */
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
    summary: 'Open the console',
    answers: {
      ...served('The page.', 'text/html'),
      302: {
        description: 'Redirects to the path without the trailing slash.',
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
