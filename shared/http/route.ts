import type { APIGatewayProxyResult } from 'aws-lambda';
import * as z from 'zod';
import type { REQUEST_UNITS } from '#shared/domain/access/request-units.ts';
import type { Scope } from '#shared/domain/access/scope.ts';
import { type Caller, callerOf } from './caller.ts';
import { ProblemError } from './problem.ts';
import { FORM_TYPE, type HttpEvent, readBody, readForm, readQuery } from './request.ts';

/** The scope that a key must have; `public` routes need no key. */
export type Access = Scope | 'public';

/** A request whose caller may make it, and whose query and body are valid. */
export type Request<Query = unknown, Body = unknown> = {
  readonly event: HttpEvent;
  readonly caller: Caller;
  readonly query: Query;
  readonly body: Body;
};

/**
 * An operation of the interface, without its words. The dispatcher, the gateway, the limit of
 * requests and the OpenAPI document are made of these.
 */
export type Route<
  Context = never,
  Extra = never,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
> = {
  readonly access: Access;
  readonly query: Query;
  /** `undefined` where none is read. */
  readonly body: Body;
  readonly bodyType: 'application/json' | typeof FORM_TYPE;
  /** What a request takes from its tenant's limit; undefined if the function counts by itself. */
  readonly units: Units | undefined;
  /** Checks a request: its scope, its query, its body. What it returns answers it. */
  readonly check: (event: HttpEvent) => Answer<Context, Extra>;
};

type Answer<Context, Extra> = (context: Context, extra: Extra) => Promise<APIGatewayProxyResult>;

/** The operations of a function, by method and path. */
export type Routes<Context = never, Extra = never> = Readonly<
  Record<`${Method} /${string}`, Route<Context, Extra>>
>;
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

type Units = Exclude<keyof typeof REQUEST_UNITS.api, 'affectedContract'>;

const NO_QUERY = z.strictObject({});
const NO_BODY = z.undefined();

type Takes<Query, Body> = Pick<Route, 'units'> & {
  readonly scope: Exclude<Access, 'public'>;
  /** Left out: parameters are refused. */
  readonly query?: Query;
  /** Left out: a body is not read. May be left out of a request if the schema is optional. */
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
  // Where a schema is left out, its type is that of the default.
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

/** An operation for everybody. */
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

/** An operation for everybody that reads a body. */
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

/** A request of whoever has a link. */
export type LinkRequest<Query = unknown, Form = unknown> = Omit<Request<Query, Form>, 'caller'>;

/** An operation for whoever has a link: what a browser sends by itself is a form. */
export function linkRoute<
  Context,
  Extra,
  Query extends z.ZodObject,
  Form extends z.ZodType = typeof NO_BODY,
>(
  { query, form }: { readonly query: Query; readonly form?: Form },
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

/** The route of a request; undefined for one that the table does not have. */
export function findRoute<Any extends Route>(
  routes: Readonly<Record<string, Any>>,
  { httpMethod, resource }: HttpEvent,
): Any | undefined {
  return routes[`${httpMethod} ${resource}`];
}

/** The route of a request, which has to be there. */
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
