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
 * Counts each request of a tenant against its limit, and says in every answer what is left of that
 * (draft-ietf-httpapi-ratelimit-headers). Used before the middleware that makes problems.
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

/** What was done stays done, and is answered, whether or not it can be counted. */
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
