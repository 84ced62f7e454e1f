import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import {
  BYTES_OF_A_UNIT,
  REQUEST_UNITS,
  type RequestPolicy,
} from '#shared/domain/access/request-units.ts';
import type { Log } from '#shared/runtime/log.ts';
import { tenantOf } from './caller.ts';
import type { RequestCount, RequestCounter } from './count-request.ts';
import { ProblemError } from './problem.ts';
import { findRoute, type Routes } from './route.ts';

/**
 * Counts each request toward its tenant's limit, and adds the remaining units to every answer
 * (draft-ietf-httpapi-ratelimit-headers). Must be used before the middleware that creates problems.
 */
export function limited(
  counter: RequestCounter,
  routes: Routes,
  log: Pick<Log, 'error'>,
): MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult> {
  const counts = new WeakMap<APIGatewayProxyEvent, RequestCount>();
  const charge = createCharging(counter, log);
  const settle = async (request: {
    readonly event: APIGatewayProxyEvent;
    response: APIGatewayProxyResult | null | undefined;
  }) => {
    const { event, response } = request;
    const tenant = tenantOf(event);
    const counted = counts.get(event);
    if (tenant === undefined || counted === undefined || !response) return;
    const long = Math.floor((bytesOf(event) + bytesOf(response)) / BYTES_OF_A_UNIT);
    const isRefused = counted.enoughInSeconds !== undefined;
    const reported = isRefused ? counted : ((await charge(tenant, long)) ?? counted);
    const headers = { ...response.headers, ...limitHeaders('api', reported) };
    request.response = { ...response, headers };
  };
  return {
    before: async ({ event }) => {
      const tenant = tenantOf(event);
      if (tenant === undefined) return;
      const counted = await counter.take(
        tenant,
        REQUEST_UNITS.api[findRoute(routes, event)?.units ?? 'read'],
      );
      counts.set(event, counted);
      refuseTooMany(counted);
    },
    after: settle,
    onError: settle,
  };
}

/**
 * Charges units after an operation. A failure is only logged, because the operation has succeeded
 * and its answer must be sent.
 */
export function createCharging(counter: RequestCounter, log: Pick<Log, 'error'>) {
  return async (tenant: string, units: number): Promise<RequestCount | undefined> => {
    try {
      return await counter.charge(tenant, units);
    } catch (error) {
      log.error('request_not_counted', { tenant, units, error });
      return undefined;
    }
  };
}

function bytesOf({ body }: { readonly body: string | null }): number {
  return Buffer.byteLength(body ?? '');
}

/** The headers with the state of a tenant's limit. */
export function limitHeaders(policy: RequestPolicy, counted: RequestCount) {
  return {
    'RateLimit-Policy': `"${policy}";q=${counted.unitsPerMinute};w=60`,
    RateLimit: `"${policy}";r=${counted.left};t=${counted.allInSeconds}`,
  };
}

/** Rejects a request if too few units are left. */
export function refuseTooMany(
  { enoughInSeconds }: RequestCount,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (enoughInSeconds === undefined) return;
  throw new ProblemError(
    'too many requests; retry after the number of seconds in the Retry-After header',
    {
      type: 'throttled',
      retryAfterSeconds: enoughInSeconds,
      headers,
    },
  );
}
