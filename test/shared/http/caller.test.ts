import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { ManageWatchlistsPorts } from '#functions/serve-api/watchlists/ports.ts';
import type { ServeNftDataPorts } from '#functions/serve-nft-data/routes.ts';
import type { Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import { type CallerTenant, callerOf } from '#shared/http/caller.ts';
import { ProblemError } from '#shared/http/problem.ts';
import { anHttpRequest } from '#test/support/builders.ts';

describe('the caller', () => {
  it.each([
    { scopes: 'read', needs: 'read', may: true },
    { scopes: 'read write', needs: 'write', may: true },
    { scopes: 'admin', needs: 'write', may: true },
    { scopes: 'read', needs: 'write', may: false },
    { scopes: 'write', needs: 'read', may: false },
    { scopes: 'readwrite', needs: 'read', may: false },
    { scopes: '', needs: 'read', may: false },
  ] as const)(
    'decides whether the scopes "$scopes" allow $needs: $may',
    ({ scopes, needs, may }) => {
      const request = anHttpRequest('GET /v1/watchlists', { scopes });

      if (may) expect(callerOf(request, needs).tenant).toBe('acme');
      else expect(() => callerOf(request, needs)).toThrow(ProblemError);
    },
  );

  it("returns the id and name of the caller's key", () => {
    const { key } = callerOf(anHttpRequest('GET /v1/watchlists'), 'read');

    expect(key).toEqual({ id: '0123456789', name: 'the script' });
  });

  it('reads the tenant only from the authorizer, whatever the request claims', () => {
    const request = anHttpRequest('GET /v1/watchlists', {
      headers: { 'X-Tenant': 'evil', tenant: 'evil' },
      query: { tenant: 'evil' },
      path: { tenant: 'evil' },
      body: { tenant: 'evil' },
    });

    expect(callerOf(request, 'read').tenant).toBe('acme');
  });

  it.each([undefined, null, {}, { tenant: '' }, { scopes: 'read' }])(
    'rejects a request without a context of the authorizer: %j',
    (authorizer) => {
      const request = anHttpRequest('GET /v1/watchlists');
      const open = { ...request, requestContext: { ...request.requestContext, authorizer } };

      expect(() => callerOf(open as typeof request, 'read')).toThrow(z.ZodError);
    },
  );
});

it('the compiler accepts a tenant only from the caller, not from a path or a body', () => {
  const attempts = (
    ports: ManageWatchlistsPorts & ServeNftDataPorts,
    said: { readonly tenant: string },
    list: Watchlist,
    tenant: CallerTenant,
  ) => [
    ports.getWatchlist({ tenant, id: 'punks' }),
    ports.watchlistsOf(tenant, 1, undefined),
    // @ts-expect-error: a string is not a CallerTenant
    ports.getWatchlist({ tenant: said.tenant, id: 'punks' }),
    // @ts-expect-error: only a list that was read with a CallerTenant may be written
    ports.putWatchlist(list),
    // @ts-expect-error: a string is not a CallerTenant
    ports.watchlistsOf(said.tenant, 1, undefined),
    // @ts-expect-error: a string is not a CallerTenant
    ports.getMutes({ ...said, id: 'punks' }),
    // @ts-expect-error: a string is not a CallerTenant
    ports.alertsOf({ ...said, id: 'punks' }, { limit: 1, after: undefined }),
    // @ts-expect-error: a string is not a CallerTenant
    ports.countRequest(said.tenant, 1),
    // @ts-expect-error: a CallerTenant comes only from the answer of the authorizer
    { tenant: 'acme' } satisfies { readonly tenant: CallerTenant },
  ];

  // The compiler checks the calls; at run time the function is not called.
  expect(attempts).toBeTypeOf('function');
});
