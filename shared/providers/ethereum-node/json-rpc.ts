import * as z from 'zod';
import { parseExactJson } from '#shared/clients/exact-json.ts';
import type { HttpResponse } from '#shared/clients/http-client.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { Outcome, Refusal } from '#shared/domain/market/upstream.ts';
import { callProvider, type ProviderSettings } from '#shared/providers/call-provider.ts';
import { GARBAGE } from '#shared/providers/prices.ts';
import { isQuotaUsedUp, refusalOfStatus } from '#shared/providers/refusal-of-status.ts';

type Params = readonly unknown[];

/** Calls one method of a node, once for each of some parameters; the results are in their order. */
export type CallNode = <Result extends z.ZodType>(
  method: string,
  params: readonly Params[],
  result: Result,
  signal: AbortSignal,
) => Promise<Outcome<readonly z.output<Result>[]>>;

/** A node by JSON-RPC 2.0 over HTTP, several calls in one request where it takes that. */
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
    // The connection may have been closed while it was idle; what only reads may be sent again.
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

/** Failures that say nothing of what was asked. */
const UNANSWERED: ReadonlySet<string> = new Set(['timeout', 'network', 'server_error', 'redirect']);

/**
 * The node's address is its key: most have a secret in their path, so that it stands in no setting and
 * no log. A key that is no address is the path below the address that is set.
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

/** The results by their ids; a batch may be answered in any order. */
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
  // No contract is missing: nothing is at that address.
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
/** A question about blocks to come, or of a past that the node has not. */
const ELSEWHERE = /beyond|\bhead\b|pruned|archive|missing trie/i;

/** Refusals of a large batch, of many blocks, and of a question that takes long. */
function refusalOfSize(error: RpcError, count: number): Refusal | undefined {
  if (RATE.test(error.message)) return undefined;
  // The batch itself is the mistake: its calls may be sent one by one.
  if (count > 1 && isTooMany(error)) return { kind: 'failed', reason: 'bad_request' };
  if (error.code === '30') return { kind: 'failed', reason: 'timeout' };
  return isTooWide(error) ? { kind: 'failed', reason: 'too_large' } : undefined;
}

/** Code 31 is of dRPC and 1RPC. Others write "batch limit 100 exceeded", "batch size too large". */
function isTooMany({ code, message }: RpcError): boolean {
  return code === '31' || /\bbatch\b|response too large/i.test(message);
}

/**
 * Nodes limit blocks, logs or time of an answer, each in words of its own: "query returned more than
 * 10000 results", "up to a 10 block range", "eth_getLogs is limited to a 2,000 range", "limit exceeded".
 */
function isTooWide({ message }: RpcError): boolean {
  return WIDTH.test(message) && !ELSEWHERE.test(message);
}

/** Codes of JSON-RPC 2.0 and of EIP-1474. */
function refusalOf({ code, message }: RpcError): Refusal {
  const isUnknown = code === '-32601' || code === '-32004';
  if (isUnknown) return { kind: 'unsupported', reason: 'retired' };
  if (code === '-32005' || code === '429' || RATE.test(message)) return { kind: 'throttled' };
  if (/api.?key|unauthori[sz]ed|authenticat/i.test(message))
    return { kind: 'denied', reason: 'key' };
  const isOurs = code === '-32600' || code === '-32602' || code === '-32700';
  return { kind: 'failed', reason: isOurs ? 'bad_request' : 'server_error' };
}
