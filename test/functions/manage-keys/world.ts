import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import * as z from 'zod';
import { IssuedKey, SignInCode } from '#functions/manage-keys/answers.ts';
import { composeManageKeys } from '#functions/manage-keys/compose.ts';
import { manageKeys } from '#functions/manage-keys/routes.ts';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { type ApiKeyRecord, apiKeyId } from '#shared/domain/access/api-key.ts';
import type { Scope } from '#shared/domain/access/scope.ts';
import { answersProblems } from '#shared/http/answer.ts';
import { createApiKeyStore } from '#shared/stores/api-key-store.ts';
import { createChangeStore } from '#shared/stores/change-store.ts';
import { aKey, aKeyRecord, putKey } from '#test/support/api-keys.ts';
import { anHttpRequest, NOON } from '#test/support/builders.ts';
import { documented } from '#test/support/documented.ts';
import { anOutside } from '#test/support/outside.ts';

const Problem = z.object({ type: z.string(), detail: z.string() });

/** Tenants `acme` and `globex`, each with one key of the scope `admin`. */
export async function world() {
  const table = createMemoryTable();
  const keys = createApiKeyStore(table);
  const numbers = Array.from({ length: 100 }, (_, index) => 100 + index).values();
  const next = () => numbers.next().value ?? 0;
  let now = NOON;
  const { ports } = composeManageKeys(
    anOutside({
      table: () => table,
      now: () => now,
      uniqueNumber: next,
      randomBytes: (count) => Buffer.alloc(count, next()),
    }),
  );
  const handler = middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
    .use(answersProblems({ error: () => {}, info: () => {} }))
    .handler((event) => manageKeys(ports, event));
  const ask = documented(handler);
  const send = async (event: APIGatewayProxyEvent) => await ask(event, {} as never);
  const given = { scopes: ['admin'] as const, name: 'the first' };
  const acme = await putKey(keys, aKeyRecord(aKey(1), given));
  const globex = await putKey(keys, aKeyRecord(aKey(2), { ...given, tenant: 'globex' }));
  return {
    keys,
    acme,
    globex,
    at: (moment: number) => {
      now = moment;
    },
    items: () => JSON.stringify(table.items()),
    ask: async (
      route: string,
      more: Parameters<typeof anHttpRequest>[1] & { readonly id?: string } = {},
    ) => {
      const { id = '', ...request } = more;
      return await send(anHttpRequest(route, { scopes: 'admin', path: { key: id }, ...request }));
    },
    /** Requests a sign-in code with this API key. */
    makeCode: async (key: ApiKeyRecord) => {
      const { tenant } = key;
      const event = anHttpRequest('POST /v1/sign-ins', { tenant, scopes: key.scopes.join(' ') });
      const caller = {
        ...event.requestContext.authorizer,
        keyId: apiKeyId(key),
        keyName: key.name,
      };
      const requestContext = { ...event.requestContext, authorizer: caller };
      return await send({ ...event, requestContext });
    },
    /** Redeems a sign-in code without an API key, as another device would. */
    redeem: async (code: unknown) => {
      const event = anHttpRequest('POST /v1/sign-ins/redeem', { body: { code } });
      return await send({
        ...event,
        requestContext: { ...event.requestContext, authorizer: null },
      });
    },
    make: async (name: string, scopes: readonly Scope[], tenant = 'acme') =>
      await putKey(keys, aKeyRecord(aKey(next()), { name, scopes, tenant })),
    logged: async () =>
      (await createChangeStore(table).ofTenant('acme', NOON, 10, undefined)).entries.map(
        ({ kind, subject, by }) => ({ kind, subject, by: by.name }),
      ),
  };
}

export const typeOf = ({ body }: APIGatewayProxyResult) => {
  const [, type] = /problem:(\w+)$/.exec(Problem.parse(JSON.parse(body)).type) ?? [];
  return type;
};
export const issued = ({ body }: APIGatewayProxyResult) => IssuedKey.parse(JSON.parse(body));
export const codeIn = ({ body }: APIGatewayProxyResult) => SignInCode.parse(JSON.parse(body)).code;
