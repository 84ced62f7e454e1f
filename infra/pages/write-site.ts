import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { INDEX, type SiteIndex } from '#shared/http/site.ts';

/** A page of a site: its path, its file name and its headers. */
export type Page = {
  readonly path: string;
  readonly name: string;
  readonly type: string;
  readonly text: string;
  /** Whether the text is base64. */
  readonly isBinary?: boolean;
  /** The page's header `Cache-Control`. */
  readonly caching: string;
  /** Additional headers. */
  readonly headers?: Readonly<Record<string, string>>;
};

export const HTML = 'text/html; charset=utf-8';
export const SCRIPT = 'text/javascript; charset=utf-8';
export const STYLES = 'text/css; charset=utf-8';
export const MANIFEST = 'application/manifest+json';
export const PNG = 'image/png';
export const PLAIN = 'text/plain; charset=utf-8';

/** Writes the pages of a site to a folder, with an index. */
export function writeSite(folder: string, pages: readonly Page[]): void {
  // A synthesis may write to the same folder again.
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const { name, text } of pages) writeFileSync(join(folder, name), text);
  const index: SiteIndex = {
    files: Object.fromEntries(
      pages.map(({ path, text, ...file }) => [path, { ...file, etag: tagOf(text) }]),
    ),
  };
  writeFileSync(join(folder, INDEX), JSON.stringify(index));
}

function tagOf(text: string): string {
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
}
