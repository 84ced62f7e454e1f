import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { Log } from '#shared/runtime/log.ts';
import { ProblemError } from './problem.ts';

type Headers = Readonly<Record<string, string>>;

/**
 * An answer with a JSON body, or without a body if `body` is undefined. The caller must name the
 * type of the body's schema: `answer<Prices>(200, …)`.
 */
export function answer<Body = never>(status: number, body?: NoInfer<Body>, headers: Headers = {}) {
  return body === undefined
    ? rawAnswer(status, '', headers)
    : rawAnswer(status, JSON.stringify(body), { 'Content-Type': 'application/json', ...headers });
}

/** An answer whose body is sent unchanged. */
export function rawAnswer(status: number, body: string, headers: Headers): APIGatewayProxyResult {
  return { statusCode: status, headers: { 'Cache-Control': 'no-store', ...headers }, body };
}

/**
 * An answer with a binary body. The gateway receives the body in base64 and sends the decoded
 * bytes.
 */
export function binaryAnswer(
  status: number,
  body: Buffer,
  headers: Headers,
): APIGatewayProxyResult {
  return { ...rawAnswer(status, body.toString('base64'), headers), isBase64Encoded: true };
}

/**
 * Responds to an error of a handler with a problem, and to an unexpected error with a 500. Faults
 * of the stack are logged.
 */
export function answersProblems(
  log: Log,
  answerTo = problemAnswer,
): MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult> {
  return {
    onError: (request) => {
      const problem = asProblem(request.error);
      const { requestId } = request.event.requestContext;
      if (problem.isOurs) log.error('request_failed', { requestId, error: request.error });
      else if (problem.status >= 500)
        log.info('provider_failed', { requestId, code: problem.code });
      request.response = answerTo(problem);
    },
  };
}

/** Converts an error of a handler to a problem; unexpected errors become a 500. */
export function asProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  return new ProblemError('an internal error occurred and was logged; try again later', {
    type: 'internal',
    cause: error,
  });
}

function problemAnswer(problem: ProblemError): APIGatewayProxyResult {
  return answerOf(problem, problem.toJSON());
}

/**
 * The response for a problem in the v2.2 interface, whose clients read the `message` of an error.
 */
export function problemWithMessage(problem: ProblemError): APIGatewayProxyResult {
  return answerOf(problem, { ...problem.toJSON(), message: problem.message });
}

function answerOf(problem: ProblemError, document: object): APIGatewayProxyResult {
  const { retryAfterSeconds } = problem;
  return rawAnswer(problem.status, JSON.stringify(document), {
    'Content-Type': 'application/problem+json',
    ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }),
    ...problem.headers,
  });
}
