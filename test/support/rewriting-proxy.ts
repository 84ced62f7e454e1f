import { startHttpServer } from './http-server.ts';

export type Rewritten = {
  status: number;
  readonly headers: Headers;
  body: string;
};

/** A proxy that changes the answers of a fake, depending on path and body of the request. */
export async function startRewritingProxy(
  target: string,
  rewrite: (answer: Rewritten, path: string, body: string) => void,
) {
  return await startHttpServer((response, { method, path, query, headers, body }) => {
    const forward = async () => {
      const forwarded = new Headers();
      for (const [name, value] of Object.entries(headers)) {
        const isOwn = ['host', 'connection', 'content-length', 'accept-encoding'].includes(name);
        if (!isOwn && typeof value === 'string') forwarded.set(name, value);
      }
      const search = query.size === 0 ? '' : `?${query.toString()}`;
      const given = await fetch(`${target}${path}${search}`, {
        ...{ method, headers: forwarded },
        ...(body === '' ? {} : { body }),
      });
      const answer = { status: given.status, headers: new Headers(given.headers), body: '' };
      for (const name of ['connection', 'keep-alive', 'transfer-encoding', 'content-length']) {
        answer.headers.delete(name);
      }
      answer.body = await given.text();
      rewrite(answer, path, body);
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(answer.body);
    };
    forward().catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
}
