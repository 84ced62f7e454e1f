import type { APIGatewayProxyResult } from 'aws-lambda';
import { formatInstant, momentOf } from '#shared/domain/market/instant.ts';
import { answer } from '#shared/http/answer.ts';
import { withTag } from '#shared/http/entity-tag.ts';
import type { HttpEvent } from '#shared/http/request.ts';
import { type Route, type Routes, route, routeOf } from '#shared/http/route.ts';
import type { Operations } from './answers.ts';
import { cadenceView, providerView, tenantsView, tickView } from './operations-view.ts';
import type { ReportOperationsPorts } from './ports.ts';

/** The operations by method and path: how the stack does, of which all tenants are. */
export const operationsRoutes = {
  'GET /v1/operations': route({ scope: 'operate', units: 'readAllLists' }, getOperations),
} satisfies Routes<ReportOperationsPorts, undefined>;

/** Answers a request by its route. */
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
  const now = ports.now();
  const { limits, configuredCadenceMinutes: minutes } = ports;
  const [progress, cadences, records, overdueSince, queues, missedTicks] = await Promise.all([
    ports.getProgress(),
    ports.getCadences(),
    Promise.all(
      limits.map(async (one) => ({ one, record: await ports.getGovernor(one.provider) })),
    ),
    ports.overdueSince(now),
    ports.queueDepths(),
    ports.missedTicks(),
  ]);
  return answer<Operations>(200, {
    at: formatInstant(now),
    tick: tickView(progress, missedTicks, now),
    providers: records.map(({ one, record }, index) =>
      providerView(one, record, index === 0 ? ports.keyEndsAt : undefined, now),
    ),
    cadence: cadenceView(cadences, minutes),
    queues,
    overdueSince: momentOf(overdueSince),
    tenants: tenantsView(cadences, progress?.spending, minutes, now),
  });
}
