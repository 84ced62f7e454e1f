import * as z from 'zod';
import { JsonText } from '#shared/domain/json-text.ts';

/** The index of a site, beside its files: made once, when the stack is synthesized. */
export const INDEX = 'index.json';

const SiteIndex = z.object({
  /** The files by their path below `/v1`. */
  files: z.record(z.string(), z.object({ type: z.string(), etag: z.string(), name: z.string() })),
});
export type SiteIndex = z.input<typeof SiteIndex>;

type SiteFile = {
  readonly type: string;
  readonly etag: string;
  /** Reads the file. */
  readonly text: () => string;
};

/** The files to be served. */
export type Site = {
  readonly files: ReadonlyMap<string, SiteFile>;
};

/**
 * Opens a site. Its files are megabytes, and a request needs one at most: each is read on demand.
 */
export function openSite(read: (name: string) => string): Site {
  const { files } = JsonText.pipe(SiteIndex).parse(read(INDEX));
  const opened = Object.entries(files).map(
    ([path, { type, etag, name }]) => [path, { type, etag, text: () => read(name) }] as const,
  );
  return { files: new Map(opened) };
}
