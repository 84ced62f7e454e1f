import { createRequestCounter, type RequestCounterPorts } from './count-request.ts';
import { type Answer, type HttpFunctionSettings, httpFunction } from './http-function.ts';
import { limited } from './request-limit.ts';
import type { Routes } from './route.ts';

type Around = Pick<RequestCounterPorts, 'now' | 'usage'> &
  Pick<HttpFunctionSettings, 'log' | 'earlyAbortMs'> & {
    readonly routes: Routes;
    readonly environment: {
      readonly API_UNITS_PER_MINUTE: number;
      readonly CORS_ORIGINS: readonly string[];
    };
  };

/** A function whose requests count toward the API limit of their tenant. */
export function apiFunction(
  { log, earlyAbortMs, routes, environment, ...ports }: Around,
  answer: Answer,
) {
  const unitsPerMinute = environment.API_UNITS_PER_MINUTE;
  const counter = createRequestCounter({ ...ports, unitsPerMinute });
  return httpFunction(
    {
      ...{ log, earlyAbortMs, corsOrigins: environment.CORS_ORIGINS },
      limit: limited(counter, routes, log),
    },
    answer,
  );
}
