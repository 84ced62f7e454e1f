import { createHash } from 'node:crypto';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { rawAnswer } from './answer.ts';
import { ProblemError } from './problem.ts';
import { type HttpEvent, headerOf } from './request.ts';

/* A tag is `"<revision>.<hash of the body>"`, so it changes with every byte of the answer.
 * `If-None-Match` of a GET compares the whole tag. A change compares only the revision, so that
 * members that change without an edit, such as pending changes, do not block the change. Without a
 * revision the tag is the hash. */

/** The header with the revision of an answer. */
export function revisionHeader(revision: string | number) {
  return { ETag: `"${revision}"` };
}

/** Adds the tag to an answer, or responds with 304 if the client already has the answer. */
export function withTag(event: HttpEvent, read: APIGatewayProxyResult): APIGatewayProxyResult {
  if (event.httpMethod !== 'GET' || read.statusCode !== 200) return read;
  const revision = revisionIn(String(read.headers?.ETag));
  const hash = createHash('sha256').update(read.body).digest('base64url').slice(0, 16);
  const tag = revision === undefined ? `"${hash}"` : `"${revision}.${hash}"`;
  const headers = { 'Cache-Control': cachingOf(read), ETag: tag };
  return lists(headerOf(event, 'If-None-Match'), (known) => known.replace(/^W\//, '') === tag)
    ? rawAnswer(304, '', headers)
    : { ...read, headers: { ...read.headers, ...headers } };
}

/** Answers without a caching policy are cached privately and revalidated with their tag. */
function cachingOf({ headers }: APIGatewayProxyResult): string {
  const caching = String(headers?.['Cache-Control'] ?? 'no-store');
  return caching === 'no-store' ? 'private, no-cache' : caching;
}

/**
 * Checks that a change is based on the current revision; `revision` is undefined if the resource
 * does not exist. A change of an existing resource must name its revision, or `*` for any.
 */
export function expectMatch(
  event: HttpEvent,
  thing: string,
  revision: string | number | undefined,
): void {
  const isMatched = expectMatchIfGiven(event, thing, revision);
  if (revision === undefined || isMatched) return;
  const detail = `expected If-Match: "${revision}" for the current ${thing}, or If-Match: * for any revision`;
  throw new ProblemError(detail, { type: 'precondition_required' });
}

/**
 * Like `expectMatch`, but `If-Match` is optional. Returns whether the request has an `If-Match`
 * header.
 */
export function expectMatchIfGiven(
  event: HttpEvent,
  thing: string,
  revision: string | number | undefined,
): boolean {
  const isThere = (tag: string) => revision !== undefined && revisionIn(tag) === `${revision}`;
  if (revision !== undefined && lists(headerOf(event, 'If-None-Match'), isThere)) {
    throw failed(
      `the ${thing} already exists, with revision "${revision}"; to change it, send If-Match instead of If-None-Match`,
    );
  }
  const expected = headerOf(event, 'If-Match');
  if (expected === undefined) return false;
  expectTags(expected);
  if (revision === undefined)
    throw failed(`the ${thing} does not exist; omit If-Match to create it`);
  if (!lists(expected, isThere)) {
    const next = lists(expected, isWeak)
      ? 'If-Match compares only tags without W/'
      : 'read it again and repeat the change';
    throw failed(`the ${thing} has revision "${revision}" now; ${next}`);
  }
  return true;
}

/** Rejects an `If-Match` without any tag, because repeating the change would never help. */
function expectTags(header: string): void {
  if (lists(header, (tag) => isWeak(tag) || /^"[^"]*"$/.test(tag))) return;
  const detail = `If-Match: expected *, or the revision in double quotes as in the ETag of a response, such as "3"; found ${header.slice(0, 80)}`;
  throw new ProblemError(detail, { type: 'invalid_request' });
}

function isWeak(tag: string): boolean {
  return /^W\/"[^"]*"$/.test(tag);
}

function failed(detail: string): ProblemError {
  return new ProblemError(detail, { type: 'precondition_failed' });
}

/** Whether a header contains a matching tag or `*`. */
function lists(header: string | undefined, isMeant: (tag: string) => boolean): boolean {
  const tags = header?.split(',').map((tag) => tag.trim()) ?? [];
  return tags.some((tag) => tag === '*' || isMeant(tag));
}

/** The revision in a strong tag; undefined without one. */
function revisionIn(tag: string): string | undefined {
  return /^"([^".]+)(\.[^"]*)?"$/.exec(tag)?.[1];
}
