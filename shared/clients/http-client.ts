import * as http from 'node:http';
import * as https from 'node:https';
import type { LookupFunction } from 'node:net';
import { addressIn, isPublicAddress } from '#shared/domain/channels/public-address.ts';
import type { WebhookDestinations } from '#shared/domain/channels/webhook-destinations.ts';
import { USER_AGENT } from './user-agent.ts';

export type HttpRequest = {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly url: URL;
  /** The headers. The client adds host, length, encoding, connection and a default user agent. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly signal: AbortSignal;
};

export type HttpResponse = {
  readonly status: number;
  /** The header values by lower-case name. The values of a repeated header are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** A response with a binary body. */
export type BinaryResponse = Omit<HttpResponse, 'body'> & { readonly body: Buffer };

/** Returns responses of all statuses, and does not follow redirects. */
export type HttpClient = {
  /** Rejects with `HttpError`, or with the reason of the caller's signal. */
  readonly request: (request: HttpRequest) => Promise<HttpResponse>;
};

export type HttpLimits = {
  /** The time from the call to the last byte, including a retry. */
  readonly deadlineMs: number;
  /**
   * The limit for the received body, and also for the decompressed body. With `unread`, the client
   * returns the response as soon as its headers have arrived, without the body.
   */
  readonly maxBodyBytes: number | 'unread';
  /**
   * Maximum connections to one host. Further requests wait for a free connection until their
   * deadline.
   */
  readonly maxConnections: number;
};

/** The addresses to which a client may connect if strangers choose its URLs. */
export type HttpGuard = {
  readonly destinations: WebhookDestinations;
  readonly resolve?: Resolve;
};

/** Resolves a host to all its addresses. */
type Resolve = (host: string) => Promise<readonly Address[]>;
type Address = { readonly address: string; readonly family: number };

export type HttpErrorReason =
  | 'timeout'
  | 'network'
  | 'too_large'
  | 'garbage'
  | 'not_public'
  | 'not_loopback';

/**
 * Thrown if there is no usable response. `garbage`: the body cannot be decoded. `not_public`,
 * `not_loopback`: the guard does not allow the address.
 */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly code = 'http_request_failed';
  readonly reason: HttpErrorReason;

  constructor(reason: HttpErrorReason, options?: ErrorOptions) {
    super(`no usable response: ${reason}`, options);
    this.reason = reason;
  }
}

/**
 * HTTP over keep-alive connections by `node:https`, which has half the cold start of `fetch`. A
 * guard checks the resolved addresses of every new connection, which prevents DNS rebinding.
 */
export function createHttpClient(limits: HttpLimits, guard?: HttpGuard): HttpClient {
  const request = createBinaryRequest(limits, guard);
  return {
    request: async (asked) => {
      const { body, ...response } = await request(asked);
      return { ...response, body: body.toString('utf8') };
    },
  };
}

/** An HTTP client for binary bodies. */
export function createBinaryRequest(
  limits: HttpLimits,
  guard?: HttpGuard,
): (request: HttpRequest) => Promise<BinaryResponse> {
  const pool = { keepAlive: true, maxSockets: limits.maxConnections };
  const lookup = guard === undefined ? undefined : guardedLookup(guard);
  const transports: Transports = {
    'http:': { request: http.request, agent: new http.Agent(pool), lookup },
    'https:': { request: https.request, agent: new https.Agent(pool), lookup },
  };
  return async (request) => {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), limits.deadlineMs);
    const signal = AbortSignal.any([request.signal, deadline.signal]);
    try {
      const address = addressIn(request.url);
      if (guard && address !== undefined) expectAllowed(guard.destinations, address);
      const transport = transportFor(transports, request.url);
      return await exchange({ ...request, signal }, transport, limits.maxBodyBytes);
    } catch (error) {
      request.signal.throwIfAborted();
      if (deadline.signal.aborted) throw new HttpError('timeout', { cause: error });
      throw error instanceof HttpError ? error : new HttpError('network', { cause: error });
    } finally {
      clearTimeout(timer);
    }
  };
}

function guardedLookup({ destinations, resolve }: HttpGuard): LookupFunction {
  const addressesOf = resolve ?? (destinations === 'public' ? resolveAll : resolveNone);
  const allowedAddresses = async (host: string) => {
    const addresses = await addressesOf(host);
    if (addresses.length === 0) throw new Error('the host has no address');
    for (const { address } of addresses) expectAllowed(destinations, address);
    return [...addresses];
  };
  return (host, { all }, callback) => {
    allowedAddresses(host).then(
      (addresses) => {
        const [first] = addresses;
        if (all === true) callback(null, addresses);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: Error) => callback(error, ''),
    );
  };
}

async function resolveAll(host: string): Promise<readonly Address[]> {
  const dns = await import('node:dns/promises');
  return await dns.lookup(host, { all: true });
}

/** Rejects every host name, because a local stack must not send DNS queries. */
function resolveNone(): Promise<readonly Address[]> {
  return Promise.reject(new HttpError('not_loopback'));
}

/**
 * Throws for an address outside the allowed destinations. A host is rejected if one of its
 * addresses is rejected.
 */
function expectAllowed(destinations: WebhookDestinations, address: string): void {
  if (destinations === 'public') {
    if (!isPublicAddress(address)) throw new HttpError('not_public');
  } else if (address !== '127.0.0.1') throw new HttpError('not_loopback');
}

type Transport = {
  readonly request: typeof http.request;
  /** Without an agent, a new connection is used and then closed. */
  readonly agent: http.Agent | false;
  readonly lookup: LookupFunction | undefined;
};

type Transports = Readonly<Record<string, Transport>>;

function transportFor(transports: Transports, { protocol }: URL): Transport {
  const transport = transports[protocol];
  if (transport === undefined) throw new TypeError(`no transport for ${protocol}`);
  return transport;
}

/** Repeats a GET once if the server had closed the idle connection. */
async function exchange(
  request: HttpRequest,
  transport: Transport,
  maxBodyBytes: HttpLimits['maxBodyBytes'],
): Promise<BinaryResponse> {
  try {
    return await send(request, transport, maxBodyBytes);
  } catch (error) {
    if (request.method !== 'GET' || !(error instanceof StaleConnectionError)) throw error;
    return await send(request, { ...transport, agent: false }, maxBodyBytes);
  }
}

/** Thrown if a reused connection was reset before the first byte of the response. */
class StaleConnectionError extends Error {
  override readonly name = 'StaleConnectionError';
  readonly code = 'connection_stale';
}

async function send(
  request: HttpRequest,
  transport: Transport,
  maxBodyBytes: HttpLimits['maxBodyBytes'],
): Promise<BinaryResponse> {
  const response = await responseTo(request, transport);
  const headers = headersOf(response);
  const status = response.statusCode ?? 0;
  if (maxBodyBytes === 'unread') {
    response.destroy();
    return { status, headers, body: Buffer.alloc(0) };
  }
  const received = await bytesOf(response, maxBodyBytes);
  const body = await unpacked(received, headers['content-encoding'], maxBodyBytes);
  return { status, headers, body };
}

function responseTo(
  { method, url, headers, body, signal }: HttpRequest,
  { request, agent, lookup }: Transport,
): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': `${Buffer.byteLength(body)}` };
    const outgoing = request(url, {
      method,
      agent,
      lookup,
      signal,
      headers: {
        'user-agent': USER_AGENT,
        ...headers,
        ...length,
        'accept-encoding': 'gzip, br, deflate',
      },
    });
    let bytesBefore = 0;
    outgoing.once('socket', (socket) => {
      bytesBefore = socket.bytesRead;
    });
    outgoing.once('response', resolve);
    outgoing.on('error', (error) => {
      const silent = (outgoing.socket?.bytesRead ?? 0) === bytesBefore;
      const stale = outgoing.reusedSocket && silent && isReset(error);
      reject(
        stale
          ? new StaleConnectionError('the reused connection was closed', { cause: error })
          : error,
      );
    });
    outgoing.end(body);
  });
}

function isReset(error: Error): boolean {
  return 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}

function headersOf(response: http.IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(response.headersDistinct).map(([name, values = []]) => [
      name,
      values.join(', '),
    ]),
  );
}

function bytesOf(response: http.IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) response.destroy(new HttpError('too_large'));
      else chunks.push(chunk);
    });
    response.once('end', () => resolve(Buffer.concat(chunks)));
    response.on('error', reject);
  });
}

/**
 * Loads zlib for the first compressed body only, because loading it adds milliseconds to a cold
 * start.
 */
async function unpacked(body: Buffer, encoding = 'identity', maxBytes: number): Promise<Buffer> {
  if (body.length === 0 || encoding === 'identity') return body;
  const { unpack } = await import('./unpack.ts');
  try {
    return await unpack(body, encoding, maxBytes);
  } catch (error) {
    const tooLarge =
      error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    throw new HttpError(tooLarge ? 'too_large' : 'garbage', { cause: error });
  }
}
