import * as z from 'zod';
import { permits, type Scope } from '#shared/domain/access/scope.ts';
import { ProblemError } from './problem.ts';
import type { HttpEvent } from './request.ts';

declare const authorized: unique symbol;

const CallerTenant = z.string().min(1).brand<typeof authorized>();

/**
 * A tenant identified by the authorizer. Only this file can create a `CallerTenant`, so code that
 * requires this type cannot use a tenant from a path or a body.
 */
export type CallerTenant = z.output<typeof CallerTenant>;

/** A resource that belongs to the caller's tenant. */
export type Own<Thing extends { readonly tenant: string }> = Thing & {
  readonly tenant: CallerTenant;
};

/** The caller: the tenant, and the key with its scopes. */
export type Caller = {
  readonly tenant: CallerTenant;
  readonly scopes: readonly string[];
  readonly key: { readonly id: string; readonly name: string };
};

const AuthorizerContext = z.object({
  tenant: CallerTenant,
  scopes: z.string(),
  keyId: z.string(),
  keyName: z.string(),
});

/** The tenant of a request, regardless of its scopes; undefined on routes without a key. */
export function tenantOf({ requestContext: { authorizer } }: HttpEvent): CallerTenant | undefined {
  return AuthorizerContext.safeParse(authorizer).data?.tenant;
}

/** The caller of a request; throws a 403 if the key lacks the scope. */
export function callerOf(event: HttpEvent, scope: Scope): Caller {
  const authorizer = AuthorizerContext.parse(event.requestContext.authorizer);
  const { tenant, keyId, keyName } = authorizer;
  const scopes = authorizer.scopes.split(' ');
  if (permits(scopes, scope)) return { tenant, scopes, key: { id: keyId, name: keyName } };
  throw new ProblemError(`this request requires a key with the scope "${scope}"`, {
    type: 'forbidden',
  });
}
