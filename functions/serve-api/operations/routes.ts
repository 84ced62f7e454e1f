import type { APIGatewayProxyResult } from 'aws-lambda';
import { answer } from '#shared/http/answer.ts';
import { withTag } from '#shared/http/entity-tag.ts';
import type { HttpEvent } from '#shared/http/request.ts';
import { type Route, type Routes, route, routeOf } from '#shared/http/route.ts';
import { readOperations } from '#shared/use-cases/read-operations.ts';
import type { Operations } from './answers.ts';
import type { ReportOperationsPorts } from './ports.ts';

/** The operations on the state of the stack, which all tenants share, by method and path. */
export const operationsRoutes = {
  'GET /v1/operations': route({ scope: 'operate', units: 'readAllLists' }, getOperations),
} satisfies Routes<ReportOperationsPorts, undefined>;

/** Finds the route of a request, checks the request, and answers it. */
export async function reportOperations(
  ports: ReportOperationsPorts,
  event: HttpEvent,
): Promise<APIGatewayProxyResult> {
  const answer = routeOf<Route<ReportOperationsPorts, undefined>>(operationsRoutes, event).check(
    event,
  );
  return withTag(event, await answer(ports, undefined));
}

async function getOperations(ports: ReportOperationsPorts) {
  return answer<Operations>(200, await readOperations(ports));
}
