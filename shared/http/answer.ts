import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { Log } from '#shared/runtime/log.ts';
import { ProblemError } from './problem.ts';

type Headers = Readonly<Record<string, string>>;

/**
 * An answer with a JSON body; without one when `body` is undefined. A body needs the type of its
 * schema: `answer<Prices>(200, …)`.
 */
export function answer<Body = never>(status: number, body?: NoInfer<Body>, headers: Headers = {}) {
  return body === undefined
    ? rawAnswer(status, '', headers)
    : rawAnswer(status, JSON.stringify(body), { 'Content-Type': 'application/json', ...headers });
}

/** An answer whose body is reported as it is. */
export function rawAnswer(status: number, body: string, headers: Headers): APIGatewayProxyResult {
  return { statusCode: status, headers: { 'Cache-Control': 'no-store', ...headers }, body };
}

/** An answer whose body is no text: the gateway gets it in base64, and hands on what it stands for. */
export function binaryAnswer(
  status: number,
  body: Buffer,
  headers: Headers,
): APIGatewayProxyResult {
  return { ...rawAnswer(status, body.toString('base64'), headers), isBase64Encoded: true };
}

/** Answers an error of a handler with a problem: an unforeseen one with 500. Faults are logged. */
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

/** An error of a handler as a problem: an unforeseen one is a 500. */
export function asProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  return new ProblemError('It has been noted; try again later', { type: 'internal', cause: error });
}

/** The answer that a problem is. */
function problemAnswer(problem: ProblemError): APIGatewayProxyResult {
  return answerOf(problem, problem.toJSON());
}

/** The same for clients of the v2.2 interface, which read the `message` of an error. */
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
