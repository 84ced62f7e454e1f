import middy, { type MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { Log } from '#shared/runtime/log.ts';
import { logged } from '#shared/runtime/logged.ts';
import { withTrace } from '#shared/runtime/trace.ts';
import { answersProblems } from './answer.ts';
import { crossOrigin } from './cross-origin.ts';
import { answersHead } from './head.ts';

/** The settings of a function behind the gateway. */
export type HttpFunctionSettings = {
  readonly log: Log;
  /** An invocation is aborted this many milliseconds before its timeout; 0 turns this off. */
  readonly earlyAbortMs: number;
  readonly corsOrigins: readonly string[];
  /** Counts requests. Omitted if requests are not counted, or if the use case counts them. */
  readonly limit?: MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult>;
  /** The format of problems; by default RFC 9457. */
  readonly write?: Parameters<typeof answersProblems>[1];
};

/** Answers a request, or throws a problem. */
export type Answer = (
  event: APIGatewayProxyEvent,
  context: Context,
  signal: AbortSignal,
) => Promise<APIGatewayProxyResult>;

/** Wraps a use case in the middleware of a function behind the gateway. The order matters. */
export function httpFunction(
  { log, earlyAbortMs, corsOrigins, limit, write }: HttpFunctionSettings,
  answer: Answer,
) {
  const chain = middy<APIGatewayProxyEvent, APIGatewayProxyResult>({
    timeoutEarlyInMillis: earlyAbortMs,
  })
    .use(answersHead())
    .use(logged(log))
    .use(crossOrigin(corsOrigins));
  if (limit !== undefined) chain.use(limit);
  return chain
    .use(answersProblems(log, write))
    .handler((event, context, { signal }) =>
      withTrace(context.awsRequestId, () => answer(event, context, signal)),
    );
}
