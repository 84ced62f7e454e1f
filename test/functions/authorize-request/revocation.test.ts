import type { APIGatewayRequestAuthorizerEvent, Context } from 'aws-lambda';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createAuthorizer } from '#infra/local/runtime/authorizer.ts';
import type { ProxyEvent } from '#infra/local/runtime/proxy-event.ts';
import { tableRuntime } from '#shared/runtime/table-runtime.ts';
import { createApiKeyStore } from '#shared/stores/api-key-store.ts';
import { createDynamoTable } from '#shared/stores/dynamo-table.ts';
import { createKey, revokeKey } from '#shared/use-cases/manage-keys.ts';
import { NOON } from '#test/support/builders.ts';
import { aStackTable, awsAt, DEPLOYED_TABLE } from '#test/support/stack-table.ts';

/** Gateways that cache the answers of the deployed authorizer, and its key store. */
async function world() {
  const { client, endpoint } = await aStackTable();
  for (const [name, value] of Object.entries({ ...awsAt(endpoint), WATCH_TABLE: DEPLOYED_TABLE })) {
    vi.stubEnv(name, value);
  }
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });
  vi.resetModules();
  const { handler } = await import('#functions/authorize-request/handler.ts');
  const target = {
    invoke: async (event: unknown) =>
      await handler(event as APIGatewayRequestAuthorizerEvent, { awsRequestId: 'r1' } as Context)
        // Rejects as Lambda does when a handler throws.
        .catch((error: Error) => Promise.reject(new Error('failed', { cause: error.message }))),
  };
  const aGateway = () => {
    const authorize = createAuthorizer(
      {
        IdentitySource: 'method.request.header.X-API-Key',
        AuthorizerResultTtlInSeconds: 30,
      },
      target,
    );
    return async (key: string, now: number) => {
      const event = {
        headers: { 'X-API-Key': key },
        httpMethod: 'GET',
        path: '/v1/watchlists',
        requestContext: { apiId: 'local', stage: 'local' },
      } as unknown as ProxyEvent;
      return await authorize(event, now).then(
        ({ tenant }) => tenant,
        (error: { readonly type: string }) => error.type,
      );
    };
  };
  const keys = createApiKeyStore(createDynamoTable(client, DEPLOYED_TABLE, tableRuntime));
  return { keys, aGateway };
}

it('a revoked key is refused within a minute, however many gateways have cached it', async () => {
  const { keys, aGateway } = await world();
  const random = () => new Uint8Array(32).fill(1);
  const ports = { keys, now: NOON, random, entryOf: () => undefined };
  const request = { tenant: 'acme', name: 'x', scopes: ['read'], expiresAt: undefined } as const;
  const { key, record } = await createKey(ports, request);
  const [one, other] = [aGateway(), aGateway()];

  const before = await one(key, NOON);
  await revokeKey(ports, record);
  const kept = await one(key, NOON + 29_000);
  const elsewhere = await other(key, NOON);
  const after = await one(key, NOON + 30_000);

  expect([before, kept, elsewhere, after]).toEqual([
    'acme',
    'acme',
    'ACCESS_DENIED',
    'ACCESS_DENIED',
  ]);
});
