import { createHash } from 'node:crypto';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { rawAnswer } from './answer.ts';
import { ProblemError } from './problem.ts';
import { type HttpEvent, headerOf } from './request.ts';

/*
 * A tag is `"<revision>.<hash of the body>"`, so it is another with every byte that is reported.
 * `If-None-Match` of a GET goes by the whole of it, a change by the revision alone: what changes by
 * itself, as what is pending does, hinders no change. Of what has no revision, the hash is the tag.
 */

/** Where an answer says which revision it is of. */
export function revisionHeader(revision: string | number) {
  return { ETag: `"${revision}"` };
}

/** Adds the tag to an answer, and answers 304 to a client that has it already. */
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

/** What says nothing of caching itself is asked for each time, with its tag. */
function cachingOf({ headers }: APIGatewayProxyResult): string {
  const caching = String(headers?.['Cache-Control'] ?? 'no-store');
  return caching === 'no-store' ? 'private, no-cache' : caching;
}

/**
 * Lets a change pass that is meant for the revision that is there; undefined is that of nothing.
 * Where there is something, a change has to say so: any revision is meant by `*`.
 */
export function expectMatch(
  event: HttpEvent,
  thing: string,
  revision: string | number | undefined,
): void {
  const isMatched = expectMatchIfGiven(event, thing, revision);
  if (revision === undefined || isMatched) return;
  const detail = `expected If-Match: "${revision}" for the ${thing} as it is now, or If-Match: * for any`;
  throw new ProblemError(detail, { type: 'precondition_required' });
}

/** The same where a change may say nothing of revisions; returns whether it did. */
export function expectMatchIfGiven(
  event: HttpEvent,
  thing: string,
  revision: string | number | undefined,
): boolean {
  const isThere = (tag: string) => revision !== undefined && revisionIn(tag) === `${revision}`;
  if (revision !== undefined && lists(headerOf(event, 'If-None-Match'), isThere)) {
    throw failed(`there is such a ${thing} already, of revision "${revision}"`);
  }
  const expected = headerOf(event, 'If-Match');
  if (expected === undefined) return false;
  if (revision === undefined) throw failed(`there is no such ${thing}`);
  if (!lists(expected, isThere)) throw failed(`the ${thing} is of revision "${revision}" now`);
  return true;
}

function failed(detail: string): ProblemError {
  return new ProblemError(detail, { type: 'precondition_failed' });
}

/** Whether a header names what is meant, or anything. */
function lists(header: string | undefined, isMeant: (tag: string) => boolean): boolean {
  const tags = header?.split(',').map((tag) => tag.trim()) ?? [];
  return tags.some((tag) => tag === '*' || isMeant(tag));
}

/** The revision in a strong tag; undefined where there is none. */
function revisionIn(tag: string): string | undefined {
  return /^"([^".]+)(\.[^"]*)?"$/.exec(tag)?.[1];
}
