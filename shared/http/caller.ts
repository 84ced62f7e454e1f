import * as z from 'zod';
import { permits, type Scope } from '#shared/domain/access/scope.ts';
import { ProblemError } from './problem.ts';
import type { HttpEvent } from './request.ts';

declare const authorized: unique symbol;

const CallerTenant = z.string().min(1).brand<typeof authorized>();

/**
 * A tenant as the authorizer found it out. Only this file can make one, so what asks for it is never
 * given a tenant of a path or of a body.
 */
export type CallerTenant = z.output<typeof CallerTenant>;

/** What belongs to the caller. */
export type Own<Thing extends { readonly tenant: string }> = Thing & {
  readonly tenant: CallerTenant;
};

/** The caller: the tenant, and the key that was used, with its scopes. */
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

/** The tenant of a request, whatever its scopes; undefined on routes without a key. */
export function tenantOf({ requestContext: { authorizer } }: HttpEvent): CallerTenant | undefined {
  return AuthorizerContext.safeParse(authorizer).data?.tenant;
}

/** The caller of a request; 403 without the scope. */
export function callerOf(event: HttpEvent, scope: Scope): Caller {
  const authorizer = AuthorizerContext.parse(event.requestContext.authorizer);
  const { tenant, keyId, keyName } = authorizer;
  const scopes = authorizer.scopes.split(' ');
  if (permits(scopes, scope)) return { tenant, scopes, key: { id: keyId, name: keyName } };
  throw new ProblemError(`this takes a key with the scope "${scope}"`, { type: 'forbidden' });
}
