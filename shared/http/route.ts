import type { APIGatewayProxyResult } from 'aws-lambda';
import * as z from 'zod';
import type { REQUEST_UNITS } from '#shared/domain/access/request-units.ts';
import type { Scope } from '#shared/domain/access/scope.ts';
import { type Caller, callerOf } from './caller.ts';
import { ProblemError } from './problem.ts';
import { FORM_TYPE, type HttpEvent, readBody, readForm, readQuery } from './request.ts';

/** The scope that a key needs. Routes with `public` do not need a key. */
export type Access = Scope | 'public';

/** An authorized request with a valid query and body. */
export type Request<Query = unknown, Body = unknown> = {
  readonly event: HttpEvent;
  readonly caller: Caller;
  readonly query: Query;
  readonly body: Body;
};

/**
 * An operation of the API, without its descriptions. The dispatcher, the gateway, the request limit
 * and the OpenAPI document are derived from routes.
 */
export type Route<
  Context = never,
  Extra = never,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
> = {
  readonly access: Access;
  readonly query: QuerySchema<Query>;
  /** The schema of the body. It expects `undefined` if the route does not read a body. */
  readonly body: Body;
  readonly bodyType: 'application/json' | typeof FORM_TYPE;
  /** The units that a request costs; undefined if the function counts requests on its own. */
  readonly units: Units | undefined;
  /**
   * Checks the scope, the query and the body of a request; returns the function that answers it.
   */
  readonly check: (event: HttpEvent) => Answer<Context, Extra>;
};

type Answer<Context, Extra> = (context: Context, extra: Extra) => Promise<APIGatewayProxyResult>;

/** The operations of a function, by method and path. */
export type Routes<Context = never, Extra = never> = Readonly<
  Record<`${Method} /${string}`, Route<Context, Extra>>
>;
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

type Units = Exclude<keyof typeof REQUEST_UNITS.api, 'affectedContract'>;

/** Lazy schemas are created at the first request of their operation. */
export type QuerySchema<Query extends z.ZodObject = z.ZodObject> = Query | z.ZodLazy<Query>;

const NO_QUERY = z.strictObject({});
const NO_BODY = z.undefined();

type Takes<Query extends z.ZodObject, Body> = Pick<Route, 'units'> & {
  readonly scope: Exclude<Access, 'public'>;
  /** Without a schema, parameters are rejected. */
  readonly query?: QuerySchema<Query>;
  /**
   * Without a schema, the body is not read. With an optional schema, requests may omit the body.
   */
  readonly body?: Body;
};

type Answered = APIGatewayProxyResult | Promise<APIGatewayProxyResult>;

/** An operation for keys with a scope. */
export function route<
  Context,
  Extra,
  Query extends z.ZodObject = typeof NO_QUERY,
  Body extends z.ZodType = typeof NO_BODY,
>(
  takes: Takes<Query, Body>,
  handle: (
    context: Context,
    request: Request<z.output<Query>, z.output<Body>>,
    extra: Extra,
  ) => Answered,
): Route<Context, Extra, NoInfer<Query>, NoInfer<Body>> {
  const { scope, units } = takes;
  // If a schema is omitted, its type parameter has the default.
  const { query = NO_QUERY as z.ZodObject as Query, body = NO_BODY as z.ZodType as Body } = takes;
  return {
    ...{ access: scope, query, body, bodyType: 'application/json', units },
    check: (event) => {
      const caller = callerOf(event, scope);
      const valid = { query: readQuery(event, query), body: bodyOf(event, body) };
      return async (context, extra) => await handle(context, { event, caller, ...valid }, extra);
    },
  };
}

/** An operation without authorization. */
export function publicRoute<Context, Extra>(
  handle: (context: Context, event: HttpEvent, extra: Extra) => Answered,
): Route<Context, Extra, typeof NO_QUERY, typeof NO_BODY> {
  return {
    ...{ access: 'public', query: NO_QUERY, body: NO_BODY, units: undefined },
    bodyType: 'application/json',
    check: (event) => {
      readQuery(event, NO_QUERY);
      return async (context, extra) => await handle(context, event, extra);
    },
  };
}

/** An operation without authorization that reads a body. */
export function publicBodyRoute<Context, Extra, Body extends z.ZodType>(
  { body }: { readonly body: Body },
  handle: (
    context: Context,
    request: LinkRequest<unknown, z.output<Body>>,
    extra: Extra,
  ) => Answered,
): Route<Context, Extra, typeof NO_QUERY, NoInfer<Body>> {
  return {
    ...{ access: 'public', query: NO_QUERY, body, units: undefined },
    bodyType: 'application/json',
    check: (event) => {
      const valid = { query: readQuery(event, NO_QUERY), body: bodyOf(event, body) };
      return async (context, extra) => await handle(context, { event, ...valid }, extra);
    },
  };
}

/** A request through a signed link. */
export type LinkRequest<Query = unknown, Form = unknown> = Omit<Request<Query, Form>, 'caller'>;

/** An operation for everybody with a signed link. Browsers send its body as a form. */
export function linkRoute<
  Context,
  Extra,
  Query extends z.ZodObject,
  Form extends z.ZodType = typeof NO_BODY,
>(
  { query, form }: { readonly query: QuerySchema<Query>; readonly form?: Form },
  handle: (
    context: Context,
    request: LinkRequest<z.output<Query>, z.output<Form>>,
    extra: Extra,
  ) => Answered,
): Route<Context, Extra, NoInfer<Query>, NoInfer<Form>> {
  const body = form ?? (NO_BODY as z.ZodType as Form);
  return {
    ...{ access: 'public', query, body, bodyType: FORM_TYPE, units: undefined },
    check: (event) => {
      const valid = {
        query: readQuery(event, query),
        body: form === undefined ? body.parse(undefined) : readForm(event, form),
      };
      return async (context, extra) => await handle(context, { event, ...valid }, extra);
    },
  };
}

/** The route of a request; undefined for an unknown path or method. */
export function findRoute<Any extends Route>(
  routes: Readonly<Record<string, Any>>,
  { httpMethod, resource }: HttpEvent,
): Any | undefined {
  return routes[`${httpMethod} ${resource}`];
}

/** The route of a request. Throws a 404 for an unknown path or method. */
export function routeOf<Any extends Route>(
  routes: Readonly<Record<string, Any>>,
  event: HttpEvent,
): Any {
  const found = findRoute(routes, event);
  if (found === undefined) throw new ProblemError('there is no such path', { type: 'not_found' });
  return found;
}

function bodyOf<Body extends z.ZodType>(event: HttpEvent, schema: Body): z.output<Body> {
  if (schema instanceof z.ZodUndefined || !event.body) {
    const leftOut = schema.safeParse(undefined);
    if (leftOut.success) return leftOut.data;
  }
  return readBody(event, schema);
}
