import { callerOf, type Own } from '#shared/http/caller.ts';
import { anHttpRequest } from './builders.ts';

/** Whose key it is that changes things in tests. */
export const BY = { id: '0123456789', name: 'the script' };

/** Something of a tenant, as a request of that tenant would name it. */
export function own<Thing extends { readonly tenant: string }>(thing: Thing): Own<Thing> {
  const request = anHttpRequest('GET /', { tenant: thing.tenant });
  return { ...thing, tenant: callerOf(request, 'read').tenant };
}
