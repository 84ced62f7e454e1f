import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { expect, it } from 'vitest';
import { omit } from '#shared/domain/omit.ts';
import { answer, answersProblems } from '#shared/http/answer.ts';
import type { Prices } from '#shared/http/answer-shapes.ts';
import { ProblemError, type ProblemType } from '#shared/http/problem.ts';
import type { Log } from '#shared/runtime/log.ts';
import { anHttpRequest } from '#test/support/builders.ts';

/** The answer of a handler that throws this error, and its log lines. */
async function answerTo(error: unknown) {
  const logged: unknown[] = [];
  const noted: unknown[] = [];
  const log: Log = {
    info: (event, fields) => void noted.push([event, fields]),
    error: (...line) => void logged.push(line),
  };
  const handler = middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
    .use(answersProblems(log))
    .handler(() => Promise.reject(error));
  const { statusCode, headers, body } = await handler(anHttpRequest('GET /'), {} as Context);
  return { statusCode, headers, problem: JSON.parse(body), logged, noted };
}

it.each<[ProblemType, number]>([
  ['invalid_request', 400],
  ['forbidden', 403],
  ['not_found', 404],
  ['already_exists', 409],
  ['conflict', 409],
  ['precondition_failed', 412],
  ['too_large', 413],
  ['throttled', 429],
  ['internal', 500],
  ['not_supported', 501],
  ['upstream_failed', 502],
  ['upstream_unavailable', 503],
  ['upstream_timeout', 504],
])('answers %s with a problem document and status %d', async (type, status) => {
  const { statusCode, headers, problem, logged, noted } = await answerTo(
    new ProblemError('so it is', { type }),
  );

  expect(statusCode).toBe(status);
  expect(headers).toEqual({
    'Cache-Control': 'no-store',
    'Content-Type': 'application/problem+json',
  });
  expect(problem).toEqual({
    type: `urn:floorwatch:problem:${type}`,
    title: expect.stringMatching(/^[A-Z]/),
    status,
    detail: 'so it is',
  });
  const isOfProvider = type.startsWith('upstream_') || type === 'not_supported';
  expect(logged).toHaveLength(type === 'internal' ? 1 : 0);
  expect(noted).toEqual(
    isOfProvider ? [['provider_failed', { requestId: 'request-1', code: type }]] : [],
  );
});

it('returns the issues of a problem and the time to retry', async () => {
  const issues = [{ pointer: '/name', detail: 'expected at least one character' }];
  const error = new ProblemError('no', { type: 'throttled', issues, retryAfterSeconds: 7 });

  const { headers, problem } = await answerTo(error);

  expect(problem.errors).toEqual(issues);
  expect(headers).toMatchObject({ 'Retry-After': '7' });
});

it.each([new Error('table floorwatch-prod at 10.0.0.1'), new TypeError('x.secret'), 'a text'])(
  'writes an unexpected error only to the log: %s',
  async (error) => {
    const { problem, logged } = await answerTo(error);

    expect(problem).toEqual({
      type: 'urn:floorwatch:problem:internal',
      title: 'Internal error',
      status: 500,
      detail: 'an internal error occurred and was logged; try again later',
    });
    expect(logged).toEqual([['request_failed', { requestId: 'request-1', error }]]);
  },
);

it('sends neither body nor content type if an answer has no body', () => {
  expect(answer(204)).toEqual({
    statusCode: 204,
    headers: { 'Cache-Control': 'no-store' },
    body: '',
  });
});

const prices: Prices = {
  ...{ contract: 'eth:0x1', series: 'floor', points: [], thinned: false },
  ...{ gaps: [], disputes: [] },
};

it('the compiler accepts an answer only if it has the type of its schema, without missing or additional members', () => {
  const incomplete = omit(prices, 'thinned');

  const bodies = [
    answer<Prices>(200, prices),
    // @ts-expect-error a body without a type
    answer(200, prices),
    // @ts-expect-error a missing member
    answer<Prices>(200, incomplete),
    // @ts-expect-error a member that the schema lacks
    answer<Prices>(200, { ...prices, more: true }),
    // @ts-expect-error a member of another type
    answer<Prices>(200, { ...prices, thinned: null }),
  ].map(({ body }) => JSON.parse(body));

  expect(bodies[0]).toEqual(prices);
});
