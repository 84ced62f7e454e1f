import * as z from 'zod';
import { parseExactJson } from '#shared/clients/exact-json.ts';
import type { HttpResponse } from '#shared/clients/http-client.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { Outcome, Refusal } from '#shared/domain/market/upstream.ts';
import { callProvider, type ProviderSettings } from '#shared/providers/call-provider.ts';
import { GARBAGE } from '#shared/providers/prices.ts';
import { isQuotaUsedUp, refusalOfStatus } from '#shared/providers/refusal-of-status.ts';

type Params = readonly unknown[];

/** Calls a method of a node once for each element of `params`; the results have the same order. */
export type CallNode = <Result extends z.ZodType>(
  method: string,
  params: readonly Params[],
  result: Result,
  signal: AbortSignal,
) => Promise<Outcome<readonly z.output<Result>[]>>;

/** A client of JSON-RPC 2.0 over HTTP. Calls are sent in batches if the node accepts them. */
export function createCallNode(settings: ProviderSettings): CallNode {
  let takesBatches = true;

  const send = async (method: string, params: readonly Params[], signal: AbortSignal) => {
    const calls = params.map((each, id) => ({ jsonrpc: '2.0', id, method, params: each }));
    const sendOnce = () =>
      callProvider(
        settings,
        (key) => ({
          method: 'POST',
          url: addressOf(key, settings.baseUrl),
          headers: { 'content-type': 'application/json', accept: 'application/json' },
          body: JSON.stringify(calls.length === 1 ? calls[0] : calls),
        }),
        (response) => readReply(response, calls.length, settings.now()),
        signal,
      );
    const sent = await sendOnce();
    // An idle connection may have been closed. The calls only read, so they can be repeated.
    return sent.kind === 'failed' && sent.reason === 'network' ? await sendOnce() : sent;
  };

  return async (method, params, result, signal) => {
    const isBatch = params.length > 1;
    if (!isBatch || takesBatches) {
      const reply = await send(method, params, signal);
      const isRefused = reply.kind === 'failed' && !UNANSWERED.has(reply.reason);
      if (!isBatch || !isRefused) return parsed(reply, result);
      takesBatches = false;
    }
    const results: unknown[] = [];
    for (const each of params) {
      const reply = await send(method, [each], signal);
      if (reply.kind !== 'ok') return reply;
      results.push(...reply.value);
    }
    return parsed({ kind: 'ok', value: results }, result);
  };
}

/** Failures that are unrelated to the content of the request. */
const UNANSWERED: ReadonlySet<string> = new Set(['timeout', 'network', 'server_error', 'redirect']);

/**
 * The node's URL is its API key: most URLs contain a secret in their path, so they must not appear
 * in settings and logs. A key that is not a URL is appended to the base URL.
 */
function addressOf(key: string, baseUrl: string): URL {
  const isAddress = /^https?:/i.test(key) && URL.canParse(key);
  return new URL(isAddress ? key : `${baseUrl.replace(/\/*$/, '/')}${encodeURIComponent(key)}`);
}

function parsed<Result extends z.ZodType>(
  reply: Outcome<readonly unknown[]>,
  result: Result,
): Outcome<readonly z.output<Result>[]> {
  if (reply.kind !== 'ok') return reply;
  const read = z.array(result).safeParse(reply.value);
  return read.success ? { kind: 'ok', value: read.data } : GARBAGE;
}

/** The results sorted by id, because a node may return the results of a batch in any order. */
function readReply(
  response: HttpResponse,
  count: number,
  now: Instant,
): Outcome<readonly unknown[]> {
  const { status } = response;
  const body = parseExactJson(response.body);
  const replies = Array.isArray(body) ? body : [body];
  const error = replies.flatMap((one) => ErrorReply.safeParse(one).data?.error ?? []).at(0);
  const isUsedUp = status === 402 || isQuotaUsedUp(error?.message ?? '');
  if (isUsedUp) return { kind: 'denied', reason: 'quota' };
  const refused = error === undefined || status === 429 ? undefined : refusalOfSize(error, count);
  if (refused !== undefined) return refused;
  const refusal = refusalOfStatus(response, now, { denied: () => 'key' });
  // A 404 means that no node is at this URL, not that a contract is missing.
  if (refusal?.kind === 'not_found') return { kind: 'denied', reason: 'key' };
  const isSpecific =
    refusal !== undefined && !('reason' in refusal && refusal.reason === 'bad_request');
  if (isSpecific) return refusal;
  if (error !== undefined) return refusalOf(error);
  if (refusal !== undefined) return refusal;
  const results = z.array(ResultReply).safeParse(replies).data ?? [];
  const byId = new Map(results.map(({ id, result }) => [id, result]));
  const inOrder = Array.from({ length: count }, (_, id) => byId.get(`${id}`));
  return inOrder.every((one) => one !== undefined) ? { kind: 'ok', value: inOrder } : GARBAGE;
}

const RpcError = z.object({ code: z.string(), message: z.string().catch('') });
type RpcError = z.output<typeof RpcError>;

const ErrorReply = z.lazy(() => z.object({ error: RpcError }));
const ResultReply = z.lazy(() => z.object({ id: z.string(), result: z.unknown() }));

const RATE = /\brate\b|too many requests|request count|per second|capacity|credits|quota/i;
const WIDTH =
  /range|\b(blocks?|logs|results)\b|response size|query (timeout|timed out)|limit exceeded/i;
/** Errors about future blocks, or about past blocks that the node does not store. */
const ELSEWHERE = /beyond|\bhead\b|pruned|archive|missing trie/i;

/** Refusals of batches that are too large, of ranges that are too wide, and of slow queries. */
function refusalOfSize(error: RpcError, count: number): Refusal | undefined {
  if (RATE.test(error.message)) return undefined;
  // The batch itself was refused, so its calls can be sent one by one.
  if (count > 1 && isTooMany(error)) return { kind: 'failed', reason: 'bad_request' };
  if (error.code === '30') return { kind: 'failed', reason: 'timeout' };
  return isTooWide(error) ? { kind: 'failed', reason: 'too_large' } : undefined;
}

/**
 * Code 31 is used by dRPC and 1RPC. Other services write "batch limit 100 exceeded", "batch size
 * too large".
 */
function isTooMany({ code, message }: RpcError): boolean {
  return code === '31' || /\bbatch\b|response too large/i.test(message);
}

/**
 * Each node limits the blocks, the logs or the duration of a response, with a message of its own:
 * "query returned more than 10000 results", "up to a 10 block range", "eth_getLogs is limited to a
 * 2,000 range", "limit exceeded".
 */
function isTooWide({ message }: RpcError): boolean {
  return WIDTH.test(message) && !ELSEWHERE.test(message);
}

/** Error codes of JSON-RPC 2.0 and of EIP-1474. */
function refusalOf({ code, message }: RpcError): Refusal {
  const isUnknown = code === '-32601' || code === '-32004';
  if (isUnknown) return { kind: 'unsupported', reason: 'retired' };
  if (code === '-32005' || code === '429' || RATE.test(message)) return { kind: 'throttled' };
  if (/api.?key|unauthori[sz]ed|authenticat/i.test(message))
    return { kind: 'denied', reason: 'key' };
  const isOurs = code === '-32600' || code === '-32602' || code === '-32700';
  return { kind: 'failed', reason: isOurs ? 'bad_request' : 'server_error' };
}
