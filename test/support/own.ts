import { callerOf, type Own } from '#shared/http/caller.ts';
import { anHttpRequest } from './builders.ts';

/** The API key that makes changes in tests. */
export const BY = { id: '0123456789', name: 'the script' };

/** Marks a value as that of the caller's tenant, as code does for a request of that tenant. */
export function own<Thing extends { readonly tenant: string }>(thing: Thing): Own<Thing> {
  const request = anHttpRequest('GET /', { tenant: thing.tenant });
  return { ...thing, tenant: callerOf(request, 'read').tenant };
}
