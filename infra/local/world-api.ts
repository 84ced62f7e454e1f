import {
  type OwnAnswer,
  otherMethodAnswers,
  problemAnswers,
  SENT_TYPES,
} from '#infra/http/own-answers.ts';
import { HTTP_FUNCTIONS, methodsOf, ROUTE_TABLES } from '#infra/http/route-tables.ts';
import { createAuthorizer } from './runtime/authorizer.ts';
import type { GatewayRoute, LocalApi } from './runtime/gateway.ts';
import type { WorldFunctions } from './world-functions.ts';

/** The HTTP API, from the route tables of the stack. */
export function worldApi(functions: WorldFunctions, isForPages: boolean): LocalApi {
  const authorize = createAuthorizer(
    { IdentitySource: 'method.request.header.X-API-Key', AuthorizerResultTtlInSeconds: 30 },
    { invoke: functions['authorize-request'] },
  );
  const routes = HTTP_FUNCTIONS.flatMap((name) =>
    methodsOf(ROUTE_TABLES[name]).map(({ path, method, access }) => ({
      ...placed(path, method),
      target: { invoke: functions[name] },
      authorize: access === 'public' ? undefined : authorize,
    })),
  );
  const byPath = Map.groupBy(routes, ({ path }) => path);
  return {
    routes: [...routes, ...[...byPath].map(([path, same]) => otherMethods(path, same, isForPages))],
    answers: new Map(
      Object.values(problemAnswers(isForPages)).map(({ occasion, body, ...answer }) => [
        occasion,
        { ...answer, body: JSON.stringify(body) },
      ]),
    ),
    isBase64Encoded: true,
  };
}

function placed(path: string, method: string) {
  return { path, method, parts: path.split('/') };
}

function otherMethods(
  path: string,
  routes: readonly GatewayRoute[],
  isForPages: boolean,
): GatewayRoute {
  const methods = routes.map(({ method }) => method);
  const { toOptions, toOthers } = otherMethodAnswers(methods, isForPages);
  const inText = ({ body, ...answer }: OwnAnswer) => ({
    ...answer,
    body: body === undefined ? '' : JSON.stringify(body),
  });
  const answer = {
    toOptions: inText(toOptions),
    toOthers: inText(toOthers),
    sentTypes: SENT_TYPES,
  };
  return { ...placed(path, 'ANY'), answer };
}
