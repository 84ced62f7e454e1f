import type { IncomingHttpHeaders, Server } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { createLoopbackServer } from '#infra/local/runtime/loopback.ts';

/** A received message. */
export type Post = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly bytes: Buffer;
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

/** A server that answers posts on this machine, and changes of them where it takes them. */
export function createReceiver(
  answer: (post: Post) => Answer,
  onRefusal: OnRefusal,
  methods: readonly string[] = ['POST'],
): Server {
  const answerTo = (post: Post): Answer => {
    if (!methods.includes(post.method)) return { status: 405, issue: `it takes no ${post.method}` };
    // Discord requires it, and firewalls in front of others do.
    if (post.headers['user-agent'] === undefined)
      return { status: 403, issue: 'the request has no User-Agent' };
    return answer(post);
  };

  return createLoopbackServer(async (request, response) => {
    const bytes = await buffer(request);
    const { pathname: path } = new URL(request.url ?? '/', 'http://localhost');
    const { method = '', headers: sent } = request;
    const {
      status,
      headers,
      body: said,
      issue,
    } = answerTo({
      ...{ method, path, headers: sent, body: bytes.toString('utf8'), bytes },
    });
    if (issue !== undefined) onRefusal(issue);
    response.writeHead(status, headers).end(said);
  });
}
