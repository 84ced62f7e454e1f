import { anHttpRequest } from '#test/support/builders.ts';
import type { FunctionRoute } from '#test/support/routes.ts';

/** Finds the route of a request, and builds its event. A literal path precedes a parameter. */
export function routed(
  routes: readonly FunctionRoute[],
  question: string,
  given: { readonly body?: unknown; readonly headers: Readonly<Record<string, string>> },
) {
  const [method = '', address = ''] = question.split(' ');
  const { pathname, searchParams } = new URL(address, 'http://gateway.example');
  const [found] = routes
    .filter((route) => route.method === method)
    .map((route) => ({ route, match: patternOf(route).exec({ pathname }) }))
    .filter(({ match }) => match !== null)
    .toSorted((one, other) => parametersIn(one.route) - parametersIn(other.route));
  if (found === undefined) throw new Error(`no function has a route for ${question}`);
  const groups = Object.entries(found.match?.pathname.groups ?? {});
  const path = Object.fromEntries(
    groups.map(([name, value = '']) => [name, decodeURIComponent(value)]),
  );
  const query = Object.fromEntries(searchParams);
  return { route: found.route, event: anHttpRequest(found.route.name, { ...given, path, query }) };
}

function patternOf({ path }: FunctionRoute): URLPattern {
  return new URLPattern({ pathname: path.replaceAll(/\{(\w+)\}/g, ':$1') });
}

function parametersIn({ path }: FunctionRoute): number {
  return path.split('{').length - 1;
}
