import { createHash } from 'node:crypto';
import type { APIGatewayProxyResult } from 'aws-lambda';
import {
  IDEMPOTENCY_KEY,
  type KeptAnswer,
  type KeyedRequest,
} from '#shared/domain/access/keyed-request.ts';
import { DAY, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import { mayHaveChanged } from '#shared/domain/outcome-unknown.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { type CallerTenant, callerOf } from './caller.ts';
import { ProblemError } from './problem.ts';
import { type HttpEvent, headerOf, textOf } from './request.ts';

export type IdempotencyPorts = {
  readonly now: () => Instant;
  /** A number that no two things are made of. */
  readonly newNumber: () => number;
  readonly getRequest: (tenant: CallerTenant, hash: string) => Promise<KeyedRequest | undefined>;
  /** Rejects with VersionConflictError where it has changed since it was read. */
  readonly putRequest: (request: KeyedRequest) => Promise<KeyedRequest>;
  readonly removeRequest: (request: KeyedRequest) => Promise<void>;
};

/** What a request makes things of: the same when it is repeated, so a repetition finds them. */
export type Origin = {
  readonly at: Instant;
  readonly number: number;
  /** Whether an earlier attempt exists, which may have made its change. */
  readonly isRepeated: boolean;
};

/** No function lives that long. */
const LONGEST_WORK = MINUTE;

/**
 * Makes the change of a request once, however often the request is repeated with the same
 * `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header). The answer is stored and repeated
 * for a day. If the first attempt is refused, it has changed nothing and is forgotten. If an attempt
 * is cut short, all later attempts have its origin.
 */
export async function idempotently(
  ports: IdempotencyPorts,
  event: HttpEvent,
  work: (origin: Origin) => Promise<APIGatewayProxyResult>,
): Promise<APIGatewayProxyResult> {
  const key = event.httpMethod === 'POST' ? keyOf(event) : undefined;
  if (key === undefined) {
    return await work({ at: ports.now(), number: ports.newNumber(), isRepeated: false });
  }
  const { tenant } = callerOf(event, 'write');
  const hash = hashOf(key);
  const fingerprint = hashOf(event.httpMethod, event.path, textOf(event));
  const found = await ports.getRequest(tenant, hash);
  // The table takes away what is old when it likes.
  const known = found !== undefined && found.at + DAY > ports.now() ? found : undefined;
  if (known !== undefined && known.fingerprint !== fingerprint) {
    throw new ProblemError('this Idempotency-Key was sent with another request', {
      type: 'idempotency_key_reused',
    });
  }
  if (known?.answer !== undefined) return answerOf(known.answer);
  if (known !== undefined && known.until > ports.now()) throw underWay();
  const taken = await takeUp(ports, {
    ...{ tenant, hash, fingerprint, version: found?.version ?? 0 },
    at: known?.at ?? ports.now(),
    until: ports.now() + LONGEST_WORK,
  });
  // Eleven hex digits fit into a safe integer. The time makes a key give new ids after its day.
  const number = Number.parseInt(hashOf(key, String(taken.at)).slice(0, 11), 16);
  const origin = { at: taken.at, number, isRepeated: known !== undefined };
  const answered = await orRelease(ports, taken, origin, work);
  await keep(ports, { ...taken, answer: keptOf(answered) });
  return answered;
}

async function takeUp(ports: IdempotencyPorts, request: KeyedRequest): Promise<KeyedRequest> {
  try {
    return await ports.putRequest(request);
  } catch (error) {
    throw error instanceof VersionConflictError ? underWay() : error;
  }
}

/** Frees the key for the next attempt where there is no answer to keep. */
async function orRelease<Result>(
  ports: IdempotencyPorts,
  taken: KeyedRequest,
  origin: Origin,
  work: (origin: Origin) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(origin);
  } catch (error) {
    const isRefused = error instanceof ProblemError && error.status < 500;
    // An earlier attempt may have made its change: the next one must find it by the same origin.
    if (isRefused && !origin.isRepeated) await ports.removeRequest(taken);
    else await ports.putRequest({ ...taken, until: ports.now() });
    throw error;
  }
}

/**
 * Keeps an answer. A slow attempt that finishes late leaves the key to the attempt that has taken over.
 * After an unknown outcome, a repetition does the work again, with the same origin.
 */
async function keep(ports: IdempotencyPorts, request: KeyedRequest): Promise<void> {
  try {
    await ports.putRequest(request);
  } catch (error) {
    if (!mayHaveChanged(error)) throw error;
  }
}

function underWay(): ProblemError {
  return new ProblemError('the first request with this Idempotency-Key is still under way', {
    type: 'request_under_way',
    retryAfterSeconds: 1,
  });
}

/** The key that a request has. */
function keyOf(event: HttpEvent): string | undefined {
  const header = headerOf(event, 'Idempotency-Key');
  if (header === undefined) return undefined;
  const [, key] = IDEMPOTENCY_KEY.exec(header) ?? [];
  if (key !== undefined) return key;
  const detail = 'expected 1 to 255 characters of ASCII in double quotes';
  throw new ProblemError(`Idempotency-Key: ${detail}`, { type: 'invalid_request' });
}

function hashOf(...texts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex');
}

function keptOf({ statusCode, headers = {}, body }: APIGatewayProxyResult): KeptAnswer {
  const reported = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  return { status: statusCode, headers: Object.fromEntries(reported), body };
}

function answerOf({ status, headers, body }: KeptAnswer): APIGatewayProxyResult {
  return { statusCode: status, headers, body };
}
