import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { REQUEST_UNITS, type RequestPolicy } from '#shared/domain/access/request-units.ts';
import { tenantOf } from './caller.ts';
import type { CountRequest, RequestCount } from './count-request.ts';
import { ProblemError } from './problem.ts';
import type { HttpEvent } from './request.ts';

/**
 * Counts each request of a tenant against its limit, and says in every answer what is left of that
 * (draft-ietf-httpapi-ratelimit-headers). To be used before who makes problems.
 */
export function limited(
  count: CountRequest,
): MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult> {
  const counts = new WeakMap<APIGatewayProxyEvent, RequestCount>();
  const tell = (request: {
    readonly event: APIGatewayProxyEvent;
    response: APIGatewayProxyResult | null | undefined;
  }) => {
    const counted = counts.get(request.event);
    if (counted === undefined || !request.response) return;
    const headers = { ...request.response.headers, ...limitHeaders('api', counted) };
    request.response = { ...request.response, headers };
  };
  return {
    before: async ({ event }) => {
      const tenant = tenantOf(event);
      if (tenant === undefined) return;
      const counted = await count(tenant, unitsOf(event));
      counts.set(event, counted);
      refuseTooMany(counted);
    },
    after: tell,
    onError: tell,
  };
}

/** What an answer says of its tenant's limit. */
export function limitHeaders(policy: RequestPolicy, counted: RequestCount) {
  return {
    'RateLimit-Policy': `"${policy}";q=${counted.unitsPerMinute};w=60`,
    RateLimit: `"${policy}";r=${counted.left};t=${counted.allInSeconds}`,
  };
}

/** Lets no request pass for which not enough is left. */
export function refuseTooMany(
  { enoughInSeconds }: RequestCount,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (enoughInSeconds === undefined) return;
  throw new ProblemError('your requests come too fast', {
    type: 'throttled',
    retryAfterSeconds: enoughInSeconds,
    headers,
  });
}

function unitsOf({ httpMethod, resource }: HttpEvent): number {
  const { read, change, preview } = REQUEST_UNITS.api;
  if (resource === '/v1/rules/preview') return preview;
  return httpMethod === 'GET' ? read : change;
}
