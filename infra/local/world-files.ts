import { join } from 'node:path';
import { documentPages } from '#infra/openapi/site.ts';
import { consolePages } from '#infra/pages/console.ts';
import { writeSite } from '#infra/pages/write-site.ts';
import { writeRenderer } from '#infra/stack/renderer-files.ts';
import type { FunctionName } from './world-functions.ts';

/** Writes the files that a function reads beside its code; returns the variables that name them. */
export type FilesOf = (name: FunctionName) => Readonly<Record<string, string>>;

export function createFiles(folder: string): FilesOf {
  return (name): ReturnType<FilesOf> => {
    const own = join(folder, name);
    switch (name) {
      case 'describe-api':
        writeSite(own, documentPages());
        return { SITE_FOLDER: own };
      case 'serve-pages':
        writeSite(own, consolePages());
        return { SITE_FOLDER: own };
      case 'draw-chart':
        writeRenderer(own);
        return { RENDERER_FOLDER: own };
      default:
        return {};
    }
  };
}
