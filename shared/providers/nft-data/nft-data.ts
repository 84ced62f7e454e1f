import { type HttpClient, HttpError, type HttpResponse } from '#shared/clients/http-client.ts';
import { secondsToWait } from '#shared/clients/retry-after.ts';
import type { Operation } from '#shared/domain/market/chains.ts';
import type { Contract } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { Outcome, Refusal, UpstreamWay } from '#shared/domain/market/upstream.ts';
import type { Upstream } from '#shared/use-cases/upstream.ts';
import {
  messageOf,
  passLowestRecord,
  passLowestSale,
  passPage,
  readFloorPage,
  readLowestRecord,
  readPriceSummary,
} from './answers.ts';

export type UpstreamSettings = {
  readonly http: HttpClient;
  /** Base address of the service, before `/api/v2.2`. */
  readonly baseUrl: string;
  /** The API key; with `refresh` read anew, since the one in use was refused. */
  readonly apiKey: (refresh: boolean) => Promise<string>;
  readonly now: () => Instant;
};

/**
 * The v2.2 interface over HTTP. Whatever arrives becomes an outcome, and only a price becomes a
 * price.
 */
export function createUpstream(settings: UpstreamSettings): Upstream {
  const { now } = settings;
  return {
    floorHistory: (contract, { interval, cursor }, signal) =>
      call(settings, {
        operation: 'floor',
        path: 'floor-price/historical',
        contract,
        query: { interval, ...(cursor === undefined ? {} : { cursor }) },
        signal,
        read: (body) => readFloorPage(body, contract.chain, now()),
      }),

    lowestTrade: (contract, days, way, signal) =>
      call(settings, {
        operation: 'lowest',
        path: way,
        contract,
        query: { days: `${Math.min(Math.max(Math.trunc(days), 1), 365)}` },
        signal,
        read: (body) =>
          way === 'price'
            ? readPriceSummary(body, contract.chain, now())
            : readLowestRecord(body, contract.chain, now()),
      }),

    answer: ({ way, contract, parameters, body }, signal) =>
      call(settings, {
        operation: OPERATIONS[way],
        path: way,
        contract,
        query: parameters,
        ...(body === undefined ? {} : { body }),
        signal,
        read: (answer) => READERS[way](answer, contract),
      }),
  };
}

const OPERATIONS: Readonly<Record<UpstreamWay, Operation>> = {
  'nfts-by-traits': 'traits',
  'floor-price/historical': 'floor',
  lowestprice: 'lowest',
  price: 'lowest',
};

const READERS: Readonly<
  Record<UpstreamWay, (body: string, contract: Contract) => Outcome<string>>
> = {
  'nfts-by-traits': passPage,
  'floor-price/historical': passPage,
  lowestprice: passLowestRecord,
  price: passLowestSale,
};

type Call<Value> = {
  readonly operation: Operation;
  readonly path: string;
  readonly contract: Contract;
  readonly query: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  readonly read: (body: string) => Outcome<Value>;
};

/** One call; repeated once where the key was refused and another one has been put in its place. */
async function call<Value>(
  settings: UpstreamSettings,
  asked: Call<Value>,
): Promise<Outcome<Value>> {
  const key = await keyFrom(settings, false, asked.signal);
  // Not being able to read the key says nothing about the key: it may well work next time.
  if (key === undefined) return { kind: 'failed', reason: 'network' };
  const outcome = await attempt(settings, asked, key);
  if (outcome.kind !== 'denied' || outcome.reason !== 'key') return outcome;
  const fresh = await keyFrom(settings, true, asked.signal);
  if (fresh === undefined || fresh === key) return outcome;
  return await attempt(settings, asked, fresh);
}

async function keyFrom(
  { apiKey }: UpstreamSettings,
  refresh: boolean,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    return await apiKey(refresh);
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

async function attempt<Value>(
  { http, baseUrl, now }: UpstreamSettings,
  { operation, path, contract, query, body, signal, read }: Call<Value>,
  key: string,
): Promise<Outcome<Value>> {
  const { chain, address } = contract;
  const parameters = new URLSearchParams({ chain: chain.hex, ...query });
  const base = `${baseUrl.replace(/\/+$/, '')}/api/v2.2/nft/${address.toLowerCase()}`;
  const headers = { 'X-API-Key': key, accept: 'application/json' };
  try {
    const response = await http.request({
      url: new URL(`${base}/${path}?${parameters.toString()}`),
      signal,
      ...(body === undefined
        ? { method: 'GET', headers }
        : { method: 'POST', body, headers: { ...headers, 'content-type': 'application/json' } }),
    });
    return refusalOf(response, operation, now) ?? read(response.body);
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    const { reason } = error;
    const isGuarded = reason === 'not_public' || reason === 'not_loopback';
    return { kind: 'failed', reason: isGuarded ? 'network' : reason };
  }
}

/** What an answer without a value means; undefined where the body is to be read. */
function refusalOf(
  { status, headers, body }: HttpResponse,
  operation: Operation,
  now: () => Instant,
): Refusal | undefined {
  if (status === 202) return { kind: 'not_ready' };
  if (status >= 200 && status < 300) return undefined;
  if (status >= 300 && status < 400) return { kind: 'failed', reason: 'redirect' };
  if (status >= 500) return { kind: 'failed', reason: 'server_error' };
  const message = messageOf(body);
  switch (status) {
    case 401:
    case 402:
    case 403:
      return { kind: 'denied', reason: denialReason(status, message) };
    case 404:
      return missing(operation, body, message);
    case 408:
      return { kind: 'failed', reason: 'timeout' };
    case 410:
      return { kind: 'unsupported', reason: 'retired' };
    case 429:
      return throttled(secondsToWait(headers, now()));
    default:
      return CHAIN_REFUSED.test(message)
        ? { kind: 'unsupported', reason: 'chain' }
        : { kind: 'failed', reason: 'bad_request' };
  }
}

/** Only chains of the interface are ever sent, so any issue about one means "not supported". */
const CHAIN_REFUSED =
  /\bchain\b.*(?:support|must be|invalid|not valid|not available|unknown|enum)|(?:support|invalid|unknown).*\bchain\b/is;

/** A 403 that names a plan denies this one operation, unless the plan is used up or paused. */
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
 * A 404 is about the contract only if the service itself answered it.
 *
 * A page of HTML comes from another server, and an unknown route is a retired operation: neither
 * may read as "no trade".
 */
function missing(operation: Operation, body: string, message: string): Refusal {
  if (body.trimStart().startsWith('<')) return { kind: 'failed', reason: 'garbage' };
  if (/^cannot (?:get|post)\b/i.test(message)) return { kind: 'unsupported', reason: 'retired' };
  return operation === 'lowest' ? { kind: 'empty' } : { kind: 'not_found' };
}

function throttled(seconds: number | undefined): Refusal {
  return seconds === undefined
    ? { kind: 'throttled' }
    : { kind: 'throttled', retryAfterSeconds: seconds };
}
