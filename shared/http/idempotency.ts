import { createHash } from 'node:crypto';
import type { APIGatewayProxyResult } from 'aws-lambda';
import {
  IDEMPOTENCY_KEY,
  type KeptAnswer,
  type KeyedRequest,
} from '#shared/domain/access/keyed-request.ts';
import { DAY, type Instant } from '#shared/domain/market/instant.ts';
import { type CallerTenant, callerOf } from './caller.ts';
import { ProblemError } from './problem.ts';
import { type HttpEvent, headerOf, textOf } from './request.ts';

export type IdempotencyPorts = {
  readonly now: () => Instant;
  /** A number that is unique to each attempt. */
  readonly newNumber: () => number;
  readonly getRequest: (tenant: CallerTenant, hash: string) => Promise<KeyedRequest | undefined>;
  /** Throws VersionConflictError if another request with the key was stored first. */
  readonly putRequest: (request: KeyedRequest) => Promise<void>;
};

/** One attempt to execute a request. */
export type Attempt = {
  readonly at: Instant;
  /** Makes the ids of created resources unique to this attempt. */
  readonly number: number;
  /**
   * The request with its answer, to be written in the transaction of its change; undefined without
   * an `Idempotency-Key`.
   */
  readonly keep: (answer: APIGatewayProxyResult) => KeyedRequest | undefined;
};

/**
 * Executes a request once, even if it is repeated with the same `Idempotency-Key`
 * (draft-ietf-httpapi-idempotency-key-header). The change and the answer are written in one
 * transaction, and the answer is repeated for a day. A rejected request changes nothing and does
 * not use up its key.
 */
export async function idempotently(
  ports: IdempotencyPorts,
  event: HttpEvent,
  work: (attempt: Attempt) => Promise<APIGatewayProxyResult>,
): Promise<APIGatewayProxyResult> {
  const key = event.httpMethod === 'POST' ? keyOf(event) : undefined;
  const origin = { at: ports.now(), number: ports.newNumber() };
  if (key === undefined) return await work({ ...origin, keep: () => undefined });
  const { tenant } = callerOf(event, 'write');
  const fingerprint = hashOf(event.httpMethod, event.path, textOf(event));
  const request = { tenant, hash: hashOf(key), fingerprint };
  const before = await find(ports, request);
  if (before.answered !== undefined) return before.answered;
  let isKept = false;
  const kept = (answer: APIGatewayProxyResult): KeyedRequest => {
    const { at } = origin;
    return { ...request, at, version: before.version, answer: keptOf(answer) };
  };
  const keep = (answer: APIGatewayProxyResult) => {
    isKept = true;
    return kept(answer);
  };
  try {
    const answer = await work({ ...origin, keep });
    // Without a change there is no transaction, so write the answer separately.
    if (!isKept) await ports.putRequest(kept(answer));
    return answer;
  } catch (error) {
    // A concurrent attempt of the same request made the change, or the response of the table was
    // lost.
    const { answered } = await find(ports, request);
    if (answered === undefined) throw error;
    return answered;
  }
}

/**
 * The answer to an earlier request with the key, and the version of the item that a new answer
 * replaces.
 */
async function find(
  ports: IdempotencyPorts,
  {
    tenant,
    hash,
    fingerprint,
  }: Pick<KeyedRequest, 'hash' | 'fingerprint'> & { readonly tenant: CallerTenant },
): Promise<{ readonly version: number; readonly answered?: APIGatewayProxyResult }> {
  const found = await ports.getRequest(tenant, hash);
  if (found === undefined) return { version: 0 };
  const { version, at, answer } = found;
  // DynamoDB deletes expired items with a delay, so an expired item may still be found.
  if (at + DAY <= ports.now()) return { version };
  if (found.fingerprint === fingerprint) return { version, answered: answerOf(answer) };
  throw new ProblemError(
    'this Idempotency-Key was already used for another request; send a new key',
    {
      type: 'idempotency_key_reused',
    },
  );
}

function keyOf(event: HttpEvent): string | undefined {
  const header = headerOf(event, 'Idempotency-Key');
  if (header === undefined) return undefined;
  const [, key] = IDEMPOTENCY_KEY.exec(header) ?? [];
  if (key !== undefined) return key;
  const detail = 'expected 1 to 255 ASCII characters in double quotes';
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
