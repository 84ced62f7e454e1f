import * as z from 'zod';
import { parseExactJson } from '#shared/clients/exact-json.ts';
import type { HttpResponse } from '#shared/clients/http-client.ts';
import type { Chain, InterfaceOperation } from '#shared/domain/market/chains.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { Outcome, Refusal } from '#shared/domain/market/upstream.ts';
import { callProvider, type ProviderSettings } from '#shared/providers/call-provider.ts';
import { refusalOfStatus } from '#shared/providers/refusal-of-status.ts';

type Call<Value> = {
  readonly operation: InterfaceOperation;
  /** Relative to the root of the interface. */
  readonly path: string;
  readonly chain: Chain;
  readonly query: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  readonly read: (body: string) => Outcome<Value>;
};

/** A call to a service that implements the v2.2 interface. */
export async function callNftData<Value>(
  settings: ProviderSettings,
  { operation, path, chain, query, body, signal, read }: Call<Value>,
): Promise<Outcome<Value>> {
  const parameters = new URLSearchParams({ chain: chain.hex, ...query });
  const base = `${settings.baseUrl.replace(/\/+$/, '')}/api/v2.2`;
  const url = new URL(`${base}/${path}?${parameters.toString()}`);
  return await callProvider(
    settings,
    (key) => {
      const headers = { 'X-API-Key': key, accept: 'application/json' };
      return body === undefined
        ? { url, method: 'GET', headers }
        : {
            url,
            method: 'POST',
            body,
            headers: { ...headers, 'content-type': 'application/json' },
          };
    },
    (response) => refusalOf(response, operation, settings.now) ?? read(response.body),
    signal,
  );
}

/** The refusal of an error response; undefined if the body must be read. */
function refusalOf(
  response: HttpResponse,
  operation: InterfaceOperation,
  now: () => Instant,
): Refusal | undefined {
  const { status, body } = response;
  if (status === 202) return { kind: 'not_ready' };
  if (status === 410) return { kind: 'unsupported', reason: 'retired' };
  const message = messageOf(body);
  const denied = () => denialReason(status, message);
  const refusal = refusalOfStatus(response, now(), { denied });
  if (refusal?.kind === 'not_found') return missing(operation, message);
  const isOurs = refusal?.kind === 'failed' && refusal.reason === 'bad_request';
  return isOurs && CHAIN_REFUSED.test(message) ? { kind: 'unsupported', reason: 'chain' } : refusal;
}

/**
 * Requests contain only chains of the v2.2 interface, so an error about a chain means that the
 * service does not support this chain.
 */
const CHAIN_REFUSED =
  /\bchain\b.*(?:support|must be|invalid|not valid|not available|unknown|enum)|(?:support|invalid|unknown).*\bchain\b/is;

/** A 403 that mentions a plan denies only this operation, unless the plan is used up or paused. */
function denialReason(status: number, message: string): DenialReason {
  const isOfPlan = status === 403 && /\bplans?\b|\bupgrade\b/i.test(message);
  if (isOfPlan && !/usage|quota|consumed|\blimits?\b|paused|suspended/i.test(message))
    return 'plan';
  if (status === 402 || /usage|quota|consumed|limit|upgrade/i.test(message)) return 'quota';
  if (/paused|suspended/i.test(message)) return 'paused';
  if (/\bblocked\b|\bbanned\b/i.test(message)) return 'blocked';
  return status === 401 || /key|token|credential/i.test(message) ? 'key' : 'blocked';
}

type DenialReason = Extract<Refusal, { readonly kind: 'denied' }>['reason'];

/**
 * A 404 means that the contract is unknown or has no trade, unless the error is about the route,
 * which means that the service has retired the operation.
 */
function missing(operation: InterfaceOperation, message: string): Refusal {
  if (/^cannot (?:get|post)\b/i.test(message)) return { kind: 'unsupported', reason: 'retired' };
  return operation === 'lowest' ? { kind: 'empty' } : { kind: 'not_found' };
}

/**
 * The text of an error response: its `message` (one or several texts), its `error` and its
 * `details`.
 */
export function messageOf(body: string): string {
  const parsed = ErrorBody.safeParse(parseExactJson(body));
  const { message = body, error = '', details = '' } = parsed.data ?? {};
  return [message, error, details].flat().join(' ').slice(0, 500);
}

const Message = z.lazy(() => z.union([z.string(), z.array(z.string())]).catch(''));
const ErrorBody = z.lazy(() => z.object({ message: Message, error: Message, details: Message }));
