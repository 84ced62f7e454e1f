import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export type FunctionRoute = {
  /** `GET /v1/watchlists/{watchlist}` */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** The folder of the function. */
  readonly folder: string;
  readonly isPublic: boolean;
};

/** The routes of all functions with a route table. */
export async function readRoutes(): Promise<readonly FunctionRoute[]> {
  const functions = join(import.meta.dirname, '..', '..', 'functions');
  const folders = readdirSync(functions).filter((folder) =>
    readdirSync(join(functions, folder)).includes('routes.ts'),
  );
  const routes = folders.map(async (folder) => {
    const module: object = await import(pathToFileURL(join(functions, folder, 'routes.ts')).href);
    const tables = Object.entries(module).filter(([name]) => name.endsWith('Routes'));
    return tables
      .flatMap(([, table]) => Object.entries<{ readonly access: string }>(table))
      .map(([name, { access }]) => {
        const [method = '', path = ''] = name.split(' ');
        return { name, method, path, folder, isPublic: access === 'public' };
      });
  });
  return (await Promise.all(routes)).flat();
}
