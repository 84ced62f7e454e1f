import middy from '@middy/core';
import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { apiKeyId } from '#shared/domain/access/api-key.ts';
import type { Basics, Outside } from '#shared/outside/outside.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { logged } from '#shared/runtime/logged.ts';
import { createApiKeyStore } from '#shared/stores/api-key-store.ts';
import { authorizeRequest } from './authorize-request.ts';
import { AuthorizeRequestEnvironment } from './environment.ts';

/**
 * A wrong key gets a policy that denies access. Throwing `Unauthorized` would count as a failure of
 * the function and log a stack trace, so strangers could trigger alarms.
 */
export function authorizeRequestFunction(outside: Basics & Pick<Outside, 'table'>) {
  const { now } = outside;
  const environment = readEnvironment(AuthorizeRequestEnvironment, outside.variables);
  const log = outside.logOf('authorize-request');
  const table = outside.table(environment.WATCH_TABLE);
  const keys = createApiKeyStore(table);

  return middy<APIGatewayRequestAuthorizerEvent, APIGatewayAuthorizerResult>({
    timeoutEarlyInMillis: outside.earlyAbortMs,
  })
    .use(logged(log))
    .handler(async ({ headers, methodArn }) => {
      const header = Object.entries(headers ?? {}).find(
        ([name]) => name.toLowerCase() === 'x-api-key',
      );
      const record = await authorizeRequest({ now, findApiKey: keys.find }, header?.[1] ?? '');
      if (record === undefined) return policy(UNKNOWN_PRINCIPAL, 'Deny', methodArn);
      return {
        ...policy(record.tenant, 'Allow', methodArn),
        context: {
          tenant: record.tenant,
          scopes: record.scopes.join(' '),
          keyId: apiKeyId(record),
          keyName: record.name,
        },
      };
    });
}

/** The principal of a denied request; no tenant has this name. */
const UNKNOWN_PRINCIPAL = '-';

/**
 * The policy for a key. API Gateway caches the policy for all paths, so the policy must not name
 * the path.
 */
function policy(principalId: string, Effect: 'Allow' | 'Deny', methodArn: string) {
  const [api = '', stage = ''] = methodArn.split('/');
  const Resource = `${api}/${stage}/*`;
  return {
    principalId,
    policyDocument: {
      Version: '2012-10-17',
      Statement: [{ Action: 'execute-api:Invoke', Effect, Resource }],
    },
  };
}
