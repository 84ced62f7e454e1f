import { join } from 'node:path';
import { documentPages } from '#infra/openapi/site.ts';
import { consolePages } from '#infra/pages/console.ts';
import { writeSite } from '#infra/pages/write-site.ts';
import { writeRenderer } from '#infra/stack/renderer-files.ts';
import type { FunctionName } from './world-functions.ts';

/** Writes the files of a function; returns the variables with their paths. */
export type FilesOf = (name: FunctionName) => Readonly<Record<string, string>>;

export function createFiles(folder: string): FilesOf {
  return (name) => {
    const own = join(folder, name);
    return WRITERS[name]?.(own) ?? {};
  };
}

const WRITERS: Readonly<
  Partial<Record<FunctionName, (folder: string) => Readonly<Record<string, string>>>>
> = {
  'serve-pages': (folder) => {
    writeSite(folder, [...documentPages(), ...consolePages()]);
    return { SITE_FOLDER: folder };
  },
  'draw-chart': (folder) => {
    writeRenderer(folder);
    return { RENDERER_FOLDER: folder };
  },
};
