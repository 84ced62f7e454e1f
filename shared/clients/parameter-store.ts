import * as z from 'zod';
import type { Instant } from '#shared/domain/market/instant.ts';
import { AwsCaller, awsUrl, createAwsSigner } from './aws-signer.ts';
import { createHttpClient, HttpError, type HttpResponse } from './http-client.ts';

/** Reads decrypted parameters from SSM; missing ones are absent from the result. */
export type GetParameters = (names: readonly string[]) => Promise<ReadonlyMap<string, string>>;

/**
 * The variables that Lambda provides to each function. A local stack also sets the URL of its own
 * SSM.
 */
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
  /** At least 0, below 1. */
  readonly random: () => number;
};

/** Thrown if SSM returned no usable response, so it is unknown whether a parameter exists. */
export class ParameterStoreError extends Error {
  override readonly name = 'ParameterStoreError';
  readonly code = 'parameter_store_failed';
}

/** Timeout of one attempt in milliseconds. */
const DEADLINE_MS = 2000;
/** The maximum pause before the second attempt; it doubles up to `LONGEST_PAUSE_MS`. */
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 1000;
/**
 * Milliseconds from the first attempt until no further attempt is started. At 40 reads a second
 * this is enough for 300 instances that start together. An attempt that times out still ends within
 * a function timeout of ten seconds.
 */
const GIVE_UP_AFTER_MS = 7500;
const HEADERS = {
  'content-type': 'application/x-amz-json-1.1',
  'x-amz-target': 'AmazonSSM.GetParameters',
};
/** SSM returns at most ten parameters with at most 8 kB each. */
const MAX_BODY_BYTES = 128 * 1024;

/**
 * Reads up to ten parameters with one call to SSM, signed as in the SDK. The SDK's client would add
 * 80 kB to each function with a secret.
 *
 * SSM allows an account 40 reads a second. A throttled or unanswered read is retried after a random
 * pause, which spreads the reads of a burst of new instances.
 */
export function createParameterStore(
  environment: ParameterStoreEnvironment,
  { now, sleepUntil, random }: ParameterStorePorts,
): GetParameters {
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

  return async (names) => {
    const body = JSON.stringify({ Names: names, WithDecryption: true });
    const lastStart = now() + GIVE_UP_AFTER_MS;
    for (let tries = 1; ; tries += 1) {
      const answer = await attempt(body);
      const longest = Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS);
      const next = now() + (longest / 2) * (1 + random());
      if (!isPassing(answer) || next > lastStart) return valuesIn(answer, names);
      await sleepUntil(next, signal);
    }
  };
}

/** The URL of SSM, determined as in the SDK. */
export function parameterStoreUrl({
  AWS_REGION: region,
  AWS_ENDPOINT_URL_SSM,
  AWS_ENDPOINT_URL,
}: ParameterStoreLocation): URL {
  return new URL(AWS_ENDPOINT_URL_SSM ?? AWS_ENDPOINT_URL ?? awsUrl('ssm', region));
}

/** Whether a retry may succeed. */
function isPassing(answer: HttpResponse | HttpError): boolean {
  if (answer instanceof HttpError) return true;
  return answer.status >= 500 || answer.status === 429 || /Throttl/.test(typeOf(answer) ?? '');
}

function valuesIn(
  answer: HttpResponse | HttpError,
  names: readonly string[],
): ReadonlyMap<string, string> {
  const asked = names.join(', ');
  if (answer instanceof HttpError) {
    throw new ParameterStoreError(`SSM did not respond to a request for ${asked}`, {
      cause: answer,
    });
  }
  const found = Found.safeParse(jsonIn(answer)).data;
  if (answer.status !== 200 || found === undefined) {
    const status = `${answer.status} ${typeOf(answer) ?? ''}`.trimEnd();
    throw new ParameterStoreError(`SSM returned HTTP ${status} for ${asked}`);
  }
  const values = new Map(found.Parameters.map(({ Name, Value }) => [Name, Value]));
  const missing = new Set(found.InvalidParameters);
  const unanswered = names.filter((name) => !values.has(name) && !missing.has(name));
  if (unanswered.length > 0) {
    throw new ParameterStoreError(`the SSM response lacks ${unanswered.join(', ')}`);
  }
  return values;
}

const Found = z.lazy(() =>
  z.object({
    Parameters: z.array(z.object({ Name: z.string(), Value: z.string() })),
    InvalidParameters: z.array(z.string()).default([]),
  }),
);
const Refusal = z.lazy(() => z.object({ __type: z.string() }));

/** The error type in a response, without its namespace. */
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
