import { createHash, createHmac } from 'node:crypto';
import { inspect } from 'node:util';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createParameterStore,
  type GetParameter,
  ParameterStoreEnvironment,
  ParameterStoreError,
  parameterStoreUrl,
} from '#shared/clients/parameter-store.ts';
import { NOON } from '#test/support/builders.ts';
import {
  type HttpServer,
  type ReceivedRequest,
  startHttpServer,
} from '#test/support/http-server.ts';

const NAME = '/floorwatch/dev/upstream-key';
const FOUND = { status: 200, body: JSON.stringify({ Parameter: { Name: NAME, Value: 's3cret' } }) };
const BUSY = { status: 503, body: '' };
/** As SSM says it, with its namespace. */
const refusal = (type: string) => ({
  status: 400,
  body: JSON.stringify({ __type: `com.amazonaws.ssm#${type}`, message: 'no' }),
});
type Answer = { readonly status: number; readonly body: string } | 'cut';

const keys = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG' };
const sessionToken = 'IQoJb3JpZ2luX2VjEJr';

let server: HttpServer;
let answers: Answer[];
let slept: number[];

beforeEach(async () => {
  answers = [];
  slept = [];
  server = await startHttpServer((response, _request, count) => {
    const answer = answers[count - 1] ?? BUSY;
    if (answer === 'cut') response.destroy();
    else response.writeHead(answer.status).end(answer.body);
  });
});

afterEach(() => server[Symbol.asyncDispose]());

it.each([
  [{ AWS_REGION: 'us-east-1' }, 'https://ssm.us-east-1.amazonaws.com/'],
  [{ AWS_REGION: 'us-gov-west-1' }, 'https://ssm.us-gov-west-1.amazonaws.com/'],
  [{ AWS_REGION: 'cn-north-1' }, 'https://ssm.cn-north-1.amazonaws.com.cn/'],
  [{ AWS_REGION: 'eusc-de-east-1' }, 'https://ssm.eusc-de-east-1.amazonaws.eu/'],
  [{ AWS_REGION: 'us-east-1', AWS_ENDPOINT_URL: 'http://all:1' }, 'http://all:1/'],
  [
    {
      AWS_REGION: 'us-east-1',
      AWS_ENDPOINT_URL: 'http://all:1',
      AWS_ENDPOINT_URL_SSM: 'http://ssm:2',
    },
    'http://ssm:2/',
  ],
])('of %o is asked at %s', (environment, url) => {
  expect(parameterStoreUrl(environment).href).toBe(url);
});

describe('a parameter', () => {
  it('is reported as it is kept', async () => {
    answers = [FOUND];

    expect(await store()(NAME)).toBe('s3cret');
  });

  it('that is not there is none', async () => {
    answers = [refusal('ParameterNotFound')];

    expect(await store()(NAME)).toBeUndefined();
    expect(server.requests).toHaveLength(1);
  });

  it.each([{}, { sessionToken }])(
    "is asked for as the SDK's own client asks, with %o",
    async (more) => {
      answers = [FOUND, FOUND];
      const client = new SSMClient({
        region: 'eu-west-1',
        endpoint: server.url,
        credentials: { ...keys, ...more },
      });

      await client.send(new GetParameterCommand({ Name: NAME, WithDecryption: true }));
      await store(more)(NAME);

      const [theirs, ours] = server.requests.map((request) => ({
        isRightlySigned: signatureOf(request) === request.headers.authorization,
        scope: /\/\d{8}\/([^,]+),/.exec(request.headers.authorization ?? '')?.[1],
        body: request.body,
        path: request.path,
        ...Object.fromEntries(
          ['host', 'content-type', 'x-amz-target', 'x-amz-security-token'].map((name) => [
            name,
            request.headers[name],
          ]),
        ),
      }));
      expect(ours).toEqual(theirs);
      expect(ours).toMatchObject({
        isRightlySigned: true,
        ...(more.sessionToken && { 'x-amz-security-token': sessionToken }),
      });
      client.destroy();
    },
  );

  it('is asked for without a session where its token is empty', async () => {
    answers = [FOUND];

    await store({ sessionToken: '' })(NAME);

    expect(server.requests[0]?.headers).not.toHaveProperty('x-amz-security-token');
  });

  it('is asked for at the time of the clock', async () => {
    answers = [FOUND];

    await store()(NAME);

    const signedAt = new Date(NOON).toISOString().replace(/[-:]|\.\d+/g, '');
    expect(server.requests[0]?.headers['x-amz-date']).toBe(signedAt);
  });

  it.each<[string, Answer]>([
    ['is busy', BUSY],
    ['throttles', refusal('ThrottlingException')],
    ['asks for fewer requests', { status: 429, body: '' }],
    ['cuts the connection', 'cut'],
  ])('is asked for again where SSM %s, after a longer pause each time', async (_, answer) => {
    answers = [answer, answer, FOUND];

    expect(await store()(NAME)).toBe('s3cret');
    expect(slept).toEqual([200, 400]);
  });

  it.each<[string, Answer, number]>([
    ['stays busy', BUSY, 3],
    ['cuts every connection', 'cut', 3],
    ['denies it', refusal('AccessDeniedException'), 1],
    ['answers what cannot be read', { status: 200, body: '<html>' }, 1],
    ['reports no value', { status: 200, body: '{"Parameter":{}}' }, 1],
  ])('is not said to be missing where SSM %s', async (_, answer, asked) => {
    answers = [answer, answer, answer, FOUND];

    const reading = store({ sessionToken })(NAME);

    await expect(reading).rejects.toThrow(ParameterStoreError);
    await expect(reading).rejects.toMatchObject({
      code: 'parameter_store_failed',
      message: expect.stringContaining(NAME),
    });
    expect(server.requests).toHaveLength(asked);
    const reported = await reading.catch((error: unknown) => inspect(error, { depth: null }));
    expect(reported).not.toContain(keys.secretAccessKey);
    expect(reported).not.toContain(sessionToken);
  });
});

function store(more: { readonly sessionToken?: string } = {}): GetParameter {
  const environment = ParameterStoreEnvironment.parse({
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: keys.accessKeyId,
    AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
    ...(more.sessionToken !== undefined && { AWS_SESSION_TOKEN: more.sessionToken }),
    AWS_ENDPOINT_URL_SSM: server.url,
    AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
  });
  const sleepUntil = async (instant: number) => {
    slept.push(instant - NOON);
  };
  return createParameterStore(environment, { now: () => NOON, sleepUntil });
}

/** What AWS works out of a request and compares with its `Authorization` (Signature Version 4). */
function signatureOf({ method, path, headers, body }: ReceivedRequest): string {
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  const hmac = (key: string | Buffer, text: string) =>
    createHmac('sha256', key).update(text).digest();
  const reported = /Credential=[^/]+\/([^,]+), SignedHeaders=([^,]+),/.exec(
    headers.authorization ?? '',
  );
  const [, scope = '', names = ''] = reported ?? [];
  const canonical = [
    ...[method, path, ''],
    ...names.split(';').map((name) => `${name}:${headers[name]?.toString()}`),
    ...['', names, sha256(body)],
  ].join('\n');
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${keys.secretAccessKey}`);
  const toSign = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const signature = hmac(key, toSign).toString('hex');
  return `AWS4-HMAC-SHA256 Credential=${keys.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
}
