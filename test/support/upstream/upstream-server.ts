import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { MarketSource } from '#infra/local/upstream/market-source.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { withoutUserAgent } from '#test/support/user-agent.ts';
import {
  type Answer,
  type LocalOperation,
  type MarketRequest,
  type Question,
  type ReadRequest,
  readRequest,
} from './market-answers.ts';
import { misbehave, readScript, type Script, send } from './misbehaviour.ts';

export type UpstreamServer = {
  /** Base address, before `/api/v2.2`. */
  readonly url: string;
  readonly close: () => Promise<void>;
  /** Sets the script of failures for all later answers; an empty script ends the failures. */
  readonly misbehave: (script: Script) => void;
  /** The last 10,000 requests, oldest first. */
  readonly requests: () => readonly LoggedRequest[];
  /** All distinct questions about contracts of the market so far. */
  readonly asked: () => readonly Question[];
};

type LoggedRequest = {
  readonly time: Instant;
  /** `unknown` for a path outside the interface. */
  readonly operation: LocalOperation | 'unknown';
  /** Undefined for a request without a valid contract. */
  readonly contract: ContractKey | undefined;
  /** 0 if no status was sent. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
};

export type UpstreamServerOptions = {
  readonly source: MarketSource;
  readonly now: () => Instant;
  /** Any free port by default. */
  readonly port?: number;
  /** The only accepted key; any key by default. */
  readonly apiKey?: string;
};

/**
 * The v2.2 interface on 127.0.0.1, with the answers of a market at `now`; later facts are hidden.
 */
export async function startUpstreamServer(options: UpstreamServerOptions): Promise<UpstreamServer> {
  const { source, now, port = 0 } = options;
  const requests: LoggedRequest[] = [];
  const known = new Set(source.contracts().map(({ contract }) => contract));
  const asked = new Map<string, Question>();
  let count = 0;
  let misbehaviourFor = readScript([]);

  const answer = (
    request: MarketRequest,
    headers: IncomingHttpHeaders,
    response: ServerResponse,
  ) => {
    const { operation } = request;
    const read = readRequest(source, request);
    const question = read.kind === 'asked' ? read.question : undefined;
    const contract = question?.contract;
    const isAllowed = isAccepted(headers['x-api-key'], options.apiKey);
    if (isAllowed && question !== undefined && known.has(question.contract)) {
      asked.set(JSON.stringify(question), question);
    }
    const time = now();
    const behaviour = isAllowed ? misbehaviourFor({ operation, contract, count }) : undefined;
    count += 1;
    const answerAt = isAllowed ? answersOf(read) : () => UNAUTHORIZED;
    const status =
      behaviour === undefined
        ? sendAnswer(response, answerAt(time))
        : misbehave(behaviour, response, answerAt, time);
    log({ time, operation, contract, status, headers });
  };
  const log = (request: LoggedRequest) => {
    requests.push(request);
    if (requests.length > LOGGED) requests.shift();
  };

  const server = createServer((incoming, response) => {
    const { headers } = incoming;
    readBody(incoming)
      .then((body) => {
        const blocked = withoutUserAgent(headers);
        if (blocked !== undefined) {
          response.writeHead(blocked.status).end(blocked.body);
          return;
        }
        const request = routed(incoming, body);
        if (request !== undefined) return answer(request, headers, response);
        const message = `Cannot ${incoming.method} ${incoming.url}`;
        const status = send(response, 404, { message });
        return log({ time: now(), operation: 'unknown', contract: undefined, status, headers });
      })
      .catch((error: unknown) => {
        send(response, 500, { message: `local upstream: ${String(error)}` });
      });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${portOf(server.address())}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
    misbehave: (script) => {
      misbehaviourFor = readScript(script);
    },
    requests: () => [...requests],
    asked: () => [...asked.values()],
  };
}

const answersOf = (read: ReadRequest): ((now: Instant) => Answer) =>
  read.kind === 'asked' ? read.answerAt : () => read.answer;

const sendAnswer = (response: ServerResponse, { status, body }: Answer): number =>
  send(response, status, body);

const LOGGED = 10_000;
const MAX_BODY_BYTES = 1024 * 1024;
const UNAUTHORIZED = { status: 401, body: { message: 'Token is invalid format' } };

const PATHS: readonly (readonly [string, RegExp, LocalOperation])[] = [
  ['POST', /^\/api\/v2\.2\/nft\/([^/]+)\/nfts-by-traits$/, 'traits'],
  ['GET', /^\/api\/v2\.2\/nft\/([^/]+)\/floor-price\/historical$/, 'floor'],
  ['GET', /^\/api\/v2\.2\/nft\/([^/]+)\/floor-price$/, 'current_floor'],
  ['GET', /^\/api\/v2\.2\/nft\/([^/]+)\/lowestprice$/, 'lowestprice'],
  ['GET', /^\/api\/v2\.2\/nft\/([^/]+)\/price$/, 'price'],
];

function routed({ method, url = '/' }: IncomingMessage, body: string): MarketRequest | undefined {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  for (const [verb, path, operation] of PATHS) {
    const [, address] = path.exec(pathname) ?? [];
    if (verb === method && address !== undefined) {
      return { operation, address, query: Object.fromEntries(searchParams), body };
    }
  }
  return undefined;
}

function isAccepted(given: string | string[] | undefined, expected: string | undefined): boolean {
  return expected === undefined ? given !== undefined && given !== '' : given === expected;
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming) {
    if (!Buffer.isBuffer(chunk)) continue;
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new RangeError('request body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function portOf(address: ReturnType<ReturnType<typeof createServer>['address']>): number {
  if (address === null || typeof address === 'string') throw new RangeError('server has no port');
  return address.port;
}
