import { siteRoutes } from '#functions/describe-api/routes.ts';
import { describeRoutes } from './operation.ts';

const headers = {
  ETag: 'Identifies this version.',
  'Cache-Control': 'How long it may be kept.',
  'Content-Security-Policy': 'What a page may load: what comes with it and nothing else.',
  'Referrer-Policy': 'Links send no referrer.',
  'X-Content-Type-Options': 'Browsers must not guess another type.',
};
const notModified = { description: 'It is what `If-None-Match` says.', headers };

/** The interface about itself. Nothing in it is secret, so it asks for no key. */
export const interfaceOperations = describeRoutes(siteRoutes, {
  'GET /v1/openapi.json': {
    id: 'getOpenApi',
    tag: 'Interface',
    summary: 'Read this document',
    answers: {
      200: { description: 'The OpenAPI document.', headers, type: 'application/json' },
      304: notModified,
    },
  },
  'GET /v1/docs': {
    id: 'getDocs',
    tag: 'Interface',
    summary: 'Read this document as a page, on which each operation can be tried',
    answers: {
      200: { description: 'The page.', headers, type: 'text/html' },
      304: notModified,
    },
  },
  'GET /v1/docs/{file}': {
    id: 'getDocsFile',
    tag: 'Interface',
    summary: 'Read a file that the page is made of',
    answers: {
      200: { description: 'The file.', headers, type: '*/*' },
      304: notModified,
    },
    problems: ['not_found'],
  },
});
