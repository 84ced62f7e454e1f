import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import * as z from 'zod';

/** A server on which an error closes only the connection where it occurs. */
export function createLoopbackServer(
  serve: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  onFailure: (error: unknown) => void = () => {},
): Server {
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      onFailure(error);
      response.destroy();
    });
  });
  server.keepAliveTimeout = KEPT_FOR;
  return server;
}

/**
 * Keep-alive timeout in milliseconds. The functions run in this process: while they evaluate ten
 * thousand watches, Node's default of five seconds would expire for connections that clients want
 * to reuse.
 */
const KEPT_FOR = 65_000;

/** Starts a server that is reachable only from this machine; returns its origin. */
export async function listen(server: Server, port = 0): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(port, '127.0.0.1', resolve);
  await promise;
  return `http://127.0.0.1:${Address.parse(server.address()).port}`;
}

/** Closes a server and its open connections. */
export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}

const Address = z.object({ port: z.number() });
