import * as z from 'zod';
import type { Instant } from '#shared/domain/market/instant.ts';
import { AwsCaller, awsUrl, createAwsSigner } from './aws-signer.ts';
import { createHttpClient, HttpError, type HttpResponse } from './http-client.ts';

/** What SSM keeps under a name, decrypted; undefined where it keeps nothing. */
export type GetParameter = (name: string) => Promise<string | undefined>;

/** What Lambda gives each function; a local stack adds the address of its own SSM. */
export const ParameterStoreEnvironment = AwsCaller.extend({
  AWS_ENDPOINT_URL_SSM: z.url().optional(),
  AWS_ENDPOINT_URL: z.url().optional(),
});
export type ParameterStoreEnvironment = z.output<typeof ParameterStoreEnvironment>;

type ParameterStoreLocation = Pick<
  ParameterStoreEnvironment,
  'AWS_REGION' | 'AWS_ENDPOINT_URL_SSM' | 'AWS_ENDPOINT_URL'
>;

export type ParameterStorePorts = {
  readonly now: () => Instant;
  readonly sleepUntil: (instant: Instant, signal: AbortSignal) => Promise<void>;
};

/** Thrown when SSM did not answer with a parameter, and did not say that there is none. */
export class ParameterStoreError extends Error {
  override readonly name = 'ParameterStoreError';
  readonly code = 'parameter_store_failed';
}

const ATTEMPTS = 3;
const DEADLINE_MS = 2000;
const PAUSE_MS = 100;
const HEADERS = {
  'content-type': 'application/x-amz-json-1.1',
  'x-amz-target': 'AmazonSSM.GetParameter',
};
/** A parameter has at most 8 kB. */
const MAX_BODY_BYTES = 64 * 1024;

/**
 * Reads parameters from SSM by the one operation that we need, signed as the SDK signs: its client
 * for all of SSM would be 80 kB of each function that has a secret.
 */
export function createParameterStore(
  environment: ParameterStoreEnvironment,
  { now, sleepUntil }: ParameterStorePorts,
): GetParameter {
  const http = createHttpClient({
    deadlineMs: DEADLINE_MS,
    maxBodyBytes: MAX_BODY_BYTES,
    maxConnections: 1,
  });
  const url = parameterStoreUrl(environment);
  const sign = createAwsSigner(environment, 'ssm', now);
  const signal = new AbortController().signal;

  const attempt = async (body: string): Promise<HttpResponse | HttpError> => {
    try {
      return await http.request({
        ...(await sign({ method: 'POST', url, headers: HEADERS, body })),
        signal,
      });
    } catch (error) {
      if (error instanceof HttpError) return error;
      throw error;
    }
  };

  return async (name) => {
    const body = JSON.stringify({ Name: name, WithDecryption: true });
    for (let tries = 1; ; tries += 1) {
      const answer = await attempt(body);
      if (tries === ATTEMPTS || !isPassing(answer)) return valueIn(answer, name);
      await sleepUntil(now() + PAUSE_MS * 2 ** tries, signal);
    }
  };
}

/** Where SSM is asked, found as the SDK finds it. */
export function parameterStoreUrl({
  AWS_REGION: region,
  AWS_ENDPOINT_URL_SSM,
  AWS_ENDPOINT_URL,
}: ParameterStoreLocation): URL {
  return new URL(AWS_ENDPOINT_URL_SSM ?? AWS_ENDPOINT_URL ?? awsUrl('ssm', region));
}

/** Whether the same question may well be answered in a moment. */
function isPassing(answer: HttpResponse | HttpError): boolean {
  if (answer instanceof HttpError) return true;
  return answer.status >= 500 || answer.status === 429 || /Throttl/.test(typeOf(answer) ?? '');
}

function valueIn(answer: HttpResponse | HttpError, name: string): string | undefined {
  if (answer instanceof HttpError) {
    throw new ParameterStoreError(`SSM did not answer about ${name}`, { cause: answer });
  }
  const type = typeOf(answer);
  if (type === 'ParameterNotFound') return undefined;
  const found = Found.safeParse(jsonIn(answer)).data;
  if (answer.status === 200 && found !== undefined) return found.Parameter.Value;
  throw new ParameterStoreError(`SSM answered ${answer.status} ${type ?? ''} about ${name}`);
}

const Found = z.object({ Parameter: z.object({ Value: z.string() }) });
const Refusal = z.object({ __type: z.string() });

/** The name of the error that an answer is, without its namespace. */
function typeOf(answer: HttpResponse): string | undefined {
  return Refusal.safeParse(jsonIn(answer)).data?.__type.replace(/^.*#/, '');
}

function jsonIn({ body }: HttpResponse): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
