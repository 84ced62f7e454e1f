import { callerOf, type Own } from '#shared/http/caller.ts';
import { anHttpRequest } from './builders.ts';

/** The API key that makes changes in tests. */
export const BY = { id: '0123456789', name: 'the script' };

/** Marks a value as belonging to the caller's tenant, as the code that handles a request does. */
export function own<Thing extends { readonly tenant: string }>(thing: Thing): Own<Thing> {
  const request = anHttpRequest('GET /', { tenant: thing.tenant });
  return { ...thing, tenant: callerOf(request, 'read').tenant };
}
