import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import type { APIGatewayRequestAuthorizerEvent, Context } from 'aws-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest';
import { aKey, aKeyRecord } from '#test/support/api-keys.ts';

const KEY = aKey(1);
const { hash, ...kept } = aKeyRecord(KEY);
const documents = mockClient(DynamoDBDocumentClient);

beforeEach(() => {
  vi.stubEnv('WATCH_TABLE', 'watches');
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  documents.reset();
  documents.on(GetCommand).resolves({ Item: { pk: 'KEYS', sk: hash, ...kept } });
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});
afterAll(() => documents.restore());

const logged = () =>
  vi.mocked(process.stdout.write).mock.calls.map(([line]) => JSON.parse(String(line)));

/** The authorizer's answer to API Gateway for a request with these headers. */
async function answerTo(headers: Readonly<Record<string, string>> | null) {
  vi.resetModules();
  const { handler } = await import('#functions/authorize-request/handler.ts');
  const methodArn = 'arn:aws:execute-api:eu-west-1:1:api/test/GET/v1/watchlists/punks';
  const event = { type: 'REQUEST', methodArn, headers } as APIGatewayRequestAuthorizerEvent;
  return await handler(event, { awsRequestId: 'r1' } as Context);
}

it('the authorizer gives a valid key access to the whole stage, and passes on the holder of the key as plain strings', async () => {
  expect(await answerTo({ 'x-api-KEY': KEY })).toEqual({
    principalId: 'acme',
    policyDocument: {
      Version: '2012-10-17',
      Statement: [
        {
          Action: 'execute-api:Invoke',
          Effect: 'Allow',
          Resource: 'arn:aws:execute-api:eu-west-1:1:api/test/*',
        },
      ],
    },
    context: {
      tenant: 'acme',
      scopes: 'read write',
      keyId: hash.slice(0, 10),
      keyName: 'the script',
    },
  });
});

it.each([null, {}, { 'X-API-Key': '' }, { 'X-API-Key': `${KEY}x` }, { Authorization: KEY }])(
  'the authorizer denies an unknown key access to the whole stage, and logs neither an error nor the key: %j',
  async (headers) => {
    const { principalId, policyDocument } = (await answerTo(headers)) ?? {};

    expect({ principalId, statement: policyDocument?.Statement }).toEqual({
      principalId: '-',
      statement: [
        {
          Action: 'execute-api:Invoke',
          Effect: 'Deny',
          Resource: 'arn:aws:execute-api:eu-west-1:1:api/test/*',
        },
      ],
    });
    expect(logged()).toEqual([expect.objectContaining({ level: 'info' })]);
    expect(JSON.stringify(logged())).not.toContain(KEY);
  },
);
