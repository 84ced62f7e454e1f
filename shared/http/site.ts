import type { APIGatewayProxyResult } from 'aws-lambda';
import * as z from 'zod';
import { JsonText } from '#shared/domain/json-text.ts';
import { rawAnswer } from './answer.ts';
import { ProblemError } from './problem.ts';
import { type HttpEvent, headerOf } from './request.ts';

/** The index of a site's files, created when the stack is synthesized. */
export const INDEX = 'index.json';

const SiteIndex = z.object({
  /** The files by path. */
  files: z.record(
    z.string(),
    z.object({
      ...{ type: z.string(), etag: z.string(), name: z.string(), caching: z.string() },
      isBinary: z.boolean().optional(),
      headers: z.record(z.string(), z.string()).optional(),
    }),
  ),
});
export type SiteIndex = z.input<typeof SiteIndex>;

type SiteFile = {
  readonly type: string;
  readonly etag: string;
  readonly caching: string;
  /** Whether `text` is base64. */
  readonly isBinary?: boolean | undefined;
  /** Additional headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly text: () => string;
};

/** The files of a site. */
export type Site = {
  readonly files: ReadonlyMap<string, SiteFile>;
};

/**
 * Opens a site. Files are read on demand, because together they take several megabytes and a
 * request needs at most one.
 */
export function openSite(read: (name: string) => string): Site {
  const { files } = JsonText.pipe(SiteIndex).parse(read(INDEX));
  const opened = Object.entries(files).map(
    ([path, { name, ...file }]) => [path, { ...file, text: () => read(name) }] as const,
  );
  return { files: new Map(opened) };
}

/** Responds with a file of a site, or with 304 if the client already has the file. */
export function serveFile(site: Site, path: string, event: HttpEvent): APIGatewayProxyResult {
  const file = site.files.get(path);
  if (file === undefined) throw new ProblemError('there is no such file', { type: 'not_found' });
  const headers = { ...ON_ALL, 'Cache-Control': file.caching, ETag: file.etag };
  if (headerOf(event, 'If-None-Match') === file.etag) return rawAnswer(304, '', headers);
  const found = { ...headers, ...file.headers, 'Content-Type': file.type };
  const answer = rawAnswer(200, file.text(), found);
  return file.isBinary ? { ...answer, isBase64Encoded: true } : answer;
}

/**
 * Pages may run scripts only from their own host, and connect only to this host. Images may also be
 * `blob:` URLs, which a script creates.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const ON_ALL = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};
