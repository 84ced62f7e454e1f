import type { IncomingHttpHeaders, Server } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { createLoopbackServer } from '#infra/local/runtime/loopback.ts';

/** An HTTP request that a receiver got. */
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
  /** The reason why the message is invalid, for the operator. */
  readonly issue?: string;
};

/** Reports a message that a fake rejects. */
export type OnRefusal = (reason: string) => void;

/** A local server that receives messages, and also edits if the service supports them. */
export function createReceiver(
  answer: (post: Post) => Answer,
  onRefusal: OnRefusal,
  methods: readonly string[] = ['POST'],
): Server {
  const answerTo = (post: Post): Answer => {
    if (!methods.includes(post.method))
      return { status: 405, issue: `unsupported method ${post.method}` };
    // Discord requires a User-Agent, and so do firewalls of other services.
    if (post.headers['user-agent'] === undefined)
      return { status: 403, issue: 'missing header User-Agent' };
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
