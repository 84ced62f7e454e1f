import { actionRoutes } from '#functions/act-on-alert/routes.ts';
import { chartRoutes } from '#functions/draw-chart/routes.ts';
import { channelRoutes } from '#functions/manage-channels/routes.ts';
import { keyRoutes } from '#functions/manage-keys/routes.ts';
import { apiRoutes } from '#functions/serve-api/routes.ts';
import { nftDataRoutes } from '#functions/serve-nft-data/routes.ts';
import { pageRoutes } from '#functions/serve-pages/routes.ts';
import type { Access, Routes } from '#shared/http/route.ts';

/** The routes of each function that handles HTTP requests. */
export const ROUTE_TABLES = {
  'serve-api': apiRoutes,
  'manage-channels': channelRoutes,
  'manage-keys': keyRoutes,
  'serve-nft-data': nftDataRoutes,
  'act-on-alert': actionRoutes,
  'draw-chart': chartRoutes,
  'serve-pages': pageRoutes,
} as const satisfies Readonly<Record<string, Routes>>;

export type HttpFunction = keyof typeof ROUTE_TABLES;

export const HTTP_FUNCTIONS: readonly HttpFunction[] = Object.keys(ROUTE_TABLES).filter(
  (name): name is HttpFunction => name in ROUTE_TABLES,
);

/** The methods of API Gateway for the routes of a function. */
export function methodsOf(
  routes: Routes,
): readonly { readonly path: string; readonly method: string; readonly access: Access }[] {
  return Object.entries(routes).flatMap(([route, { access }]) => {
    const [method = '', path = ''] = route.split(' ');
    return withHead(method).map((name) => ({ path, method: name, access }));
  });
}

/** HEAD is accepted for every GET route. */
export function withHead(method: string): readonly string[] {
  return method === 'GET' ? [method, 'HEAD'] : [method];
}
