import { join } from 'node:path';
import { documentPages } from '#infra/openapi/site.ts';
import { consolePages } from '#infra/pages/console.ts';
import { writeSite } from '#infra/pages/write-site.ts';
import { writeRenderer } from '#infra/stack/renderer-files.ts';
import type { FunctionName } from './world-functions.ts';

/** Writes the files that functions read beside their code; returns the variables that name them. */
export function writeFiles(
  folder: string,
): Readonly<Partial<Record<FunctionName, Readonly<Record<string, string>>>>> {
  const site = join(folder, 'site');
  const pages = join(folder, 'console');
  const renderer = join(folder, 'renderer');
  writeSite(site, documentPages());
  writeSite(pages, consolePages());
  writeRenderer(renderer);
  return {
    'describe-api': { SITE_FOLDER: site },
    'serve-pages': { SITE_FOLDER: pages },
    'draw-chart': { RENDERER_FOLDER: renderer },
  };
}
