import type { IncomingHttpHeaders, Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { createLoopbackServer } from '#infra/local/runtime/loopback.ts';

/** A received message. */
export type Post = {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

export type Answer = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The fault of the message, for the operator. */
  readonly issue?: string;
};

/** Reported of what a double does not take. */
export type OnRefusal = (reason: string) => void;

/** A server that answers posts on this machine, and nothing else. */
export function createReceiver(answer: (post: Post) => Answer, onRefusal: OnRefusal): Server {
  return createLoopbackServer(async (request, response) => {
    const body = await text(request);
    const { pathname: path } = new URL(request.url ?? '/', 'http://localhost');
    const {
      status,
      headers,
      body: said,
      issue,
    } = request.method === 'POST'
      ? answer({ path, headers: request.headers, body })
      : { status: 405, issue: `it takes no ${request.method}` };
    if (issue !== undefined) onRefusal(issue);
    response.writeHead(status, headers).end(said);
  });
}
