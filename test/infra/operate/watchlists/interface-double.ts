import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { composeManageChannels } from '#functions/manage-channels/compose.ts';
import { manageChannels } from '#functions/manage-channels/routes.ts';
import type { MemoryTable } from '#infra/local/memory-table.ts';
import { answersProblems } from '#shared/http/answer.ts';
import { world } from '#test/functions/serve-api/watchlists/world.ts';
import { anHttpRequest } from '#test/support/builders.ts';
import { type HttpServer, startHttpServer } from '#test/support/http-server.ts';
import { anOutside } from '#test/support/outside.ts';

/** The accepted keys; any other key has expired. The `view` key may not write. */
export const KEYS = { owner: 'fw_owner', viewer: 'fw_viewer' };

/**
 * The lists and contact points of one tenant: the real functions over HTTP, with a table in memory.
 */
export async function startWatchlists(): Promise<HttpServer & { readonly table: MemoryTable }> {
  const { ask, table } = world();
  const channels = middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
    .use(answersProblems({ info: () => undefined, error: () => undefined }))
    .handler((event) =>
      manageChannels(composeManageChannels(anOutside({ table: () => table })).ports, event),
    );
  const answer = async (method: string, route: string, given: Parameters<typeof ask>[1]) => {
    const isOfChannels = method === 'GET' && route.startsWith('/v1/channels');
    if (!isOfChannels) return await ask(`${method} ${route}`, given);
    const event = anHttpRequest(`${method} ${route}`, given);
    const { statusCode: status, headers, body } = await channels(event, {} as Context);
    return { status, headers: headers ?? {}, body: JSON.parse(body) };
  };
  const server = await startHttpServer((response, { method, path, query, headers, body }) => {
    const [, , collection = '', id, ...rest] = path.split('/');
    const key = headers['x-api-key'];
    if (key !== KEYS.owner && key !== KEYS.viewer) {
      const detail = 'Send a valid API key in the X-API-Key header.';
      response.writeHead(401).end(JSON.stringify({ type: 'about:blank', status: 401, detail }));
      return;
    }
    const name = collection === 'channels' ? 'channel' : 'watchlist';
    const parts = [...(id === undefined ? [] : [`{${name}}`]), ...rest.map(() => partOf(rest))];
    const given = {
      path: id === undefined ? {} : { [name]: decodeURIComponent(id) },
      query: Object.fromEntries(query),
      headers: Object.fromEntries(
        Object.entries(headers).flatMap(([header, value]) =>
          typeof value === 'string' ? [[header, value]] : [],
        ),
      ),
      ...(body === '' ? {} : { body }),
      scopes: key === KEYS.owner ? 'read write' : 'read',
    };
    void answer(method, ['/v1', collection, ...parts].join('/'), given).then(
      (answered) => {
        response.writeHead(answered.status, { 'Content-Type': 'application/json' });
        response.end(answered.body === undefined ? '' : JSON.stringify(answered.body));
      },
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  return { ...server, table };
}

const partOf = ([part = '']: readonly string[]) => part;
