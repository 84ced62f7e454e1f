import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { createArchiveSource } from '#functions/serve-nft-data/archive-source.ts';
import { serveNftData } from '#functions/serve-nft-data/routes.ts';
import type { NftQuestion, NftSource } from '#functions/serve-nft-data/source.ts';
import { closeServer, createLoopbackServer, listen } from '#infra/local/runtime/loopback.ts';
import { sendProxyResult, toProxyEvent } from '#infra/local/runtime/proxy-event.ts';
import { contractKey, contractOf } from '#shared/domain/market/contract.ts';
import { earliest, type Instant } from '#shared/domain/market/instant.ts';
import { asProblem, problemWithMessage } from '#shared/http/answer.ts';
import { collectionPicture } from './collection-picture.ts';
import { createMarketArchive } from './market-archive.ts';
import { type MarketQuestion, nextChange } from './market-changes.ts';
import type { MarketContract, MarketSource } from './market-source.ts';
import { openSeaAnswer, searchAnswer } from './opensea-answers.ts';
import { holdingsOf } from './wallet-holdings.ts';

export type MarketServer = {
  /** The base URL, before `/api/v2.2`. */
  readonly url: string;
  readonly close: () => Promise<void>;
  /**
   * The earliest time after an instant at which at least one earlier request would get a different
   * response.
   */
  readonly nextChangeAfter: (instant: Instant) => Instant | undefined;
};

export type MarketServerOptions = {
  readonly source: MarketSource;
  readonly now: () => Instant;
  /** The only accepted key. */
  readonly apiKey: string;
};

/**
 * A market on 127.0.0.1, served by our own implementation of the v2.2 interface from its own
 * archive. The archive has no floors of traits, so these are served in OpenSea's format.
 */
export async function startMarketServer(options: MarketServerOptions): Promise<MarketServer> {
  const { source, now, apiKey } = options;
  const asked = new Map<string, MarketQuestion>();
  const note = (question: MarketQuestion) => asked.set(JSON.stringify(question), question);
  const ask = askArchive(options, (question) => {
    if (question.operation === 'traits') return;
    const contract = contractKey(question.contract);
    note(
      question.operation === 'lowest'
        ? { contract, of: 'lowest', days: question.days }
        : { contract, of: 'floor' },
    );
  });

  const ports = {
    now,
    ask,
    recall: nothingKnown,
    asksUpstream: () => false,
    takeCall: nothingKnown,
    countRequest: nothingKnown,
  };

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request);
    const pictured = PICTURE_PATH.exec(request.url ?? '')?.[1];
    if (pictured !== undefined) return sendPicture(response, pictured);
    if (request.headers['x-api-key'] !== apiKey) return send(response, 401, 'unknown API key');
    const url = new URL(`http://localhost${request.url}`);
    // OpenSea's firewall requires a User-Agent. A service of the v2.2 interface also accepts
    // earlier releases of floorwatch, which do not send it.
    if (request.headers['user-agent'] === undefined && url.pathname.startsWith('/api/v2/'))
      return send(response, 403, 'missing header User-Agent');
    const [, wallet] = WALLET_PATH.exec(url.pathname) ?? [];
    if (wallet !== undefined) return sendHoldings(response, holdingsOf(source, wallet, now()));
    if (url.pathname === '/api/v2/search')
      return sendJson(response, 200, searchAnswer(source, url.searchParams.get('query') ?? ''));
    // A local stack reads no pictures from other machines.
    const pictures = `http://${request.headers.host}/pictures`;
    const asOpenSea = openSeaAnswer(source, now(), url.pathname, url.searchParams, pictures);
    if (asOpenSea !== undefined) {
      const { contract } = asOpenSea;
      note({ contract, of: 'floor' });
      if (TRADES_PATH.test(url.pathname)) note({ contract, of: 'statistics' });
      return sendJson(response, 200, asOpenSea.body);
    }
    // A contract or collection that the market lacks, in OpenSea's format.
    if (url.pathname.startsWith('/api/v2/'))
      return sendJson(response, 404, { errors: ['not found'] });
    const [, address = '', resource] = PATH.exec(url.pathname) ?? [];
    if (resource === undefined) return send(response, 404, 'unknown path');
    const event = toProxyEvent({
      request,
      url,
      resource: `/api/v2.2/nft/{address}/${resource}`,
      parameters: { address },
      requestId: randomUUID(),
      body,
      isBase64Encoded: false,
      now: now(),
    });
    const authorizer = { tenant: 'local', scopes: 'read', keyId: '', keyName: 'the stack' };
    const requestContext = { authorizer };
    const signal = AbortSignal.timeout(30_000);
    const result = await serveNftData(ports, { ...event, requestContext }, signal).catch(
      (error: unknown) => problemWithMessage(asProblem(error)),
    );
    sendProxyResult(response, result);
  };

  const server = createLoopbackServer(serve);
  return {
    url: await listen(server),
    close: async () => await closeServer(server),
    nextChangeAfter: (instant) =>
      earliest([...asked.values()].map((question) => nextChange(source, question, instant))),
  };
}

const nothingKnown = async () => undefined;

const PATH = /^\/api\/v2\.2\/nft\/([^/]+)\/(nfts-by-traits|floor-price\/historical|lowestprice)$/;

const WALLET_PATH = /^\/api\/v2\.2\/(0x[0-9a-f]{40})\/nft\/collections$/;

/** The paths of OpenSea whose responses change with each trade. */
const TRADES_PATH = /^\/api\/v2\/(?:collections\/[^/]+\/stats|events\/collection\/[^/]+)$/;

const PICTURE_PATH = /^\/pictures\/([^/]+)\.png$/;

function sendPicture(response: ServerResponse, slug: string): void {
  response.writeHead(200, { 'content-type': 'image/png' });
  response.end(collectionPicture(slug));
}

function sendHoldings(response: ServerResponse, held: readonly MarketContract[]): void {
  const result = held.map(({ contract, name }) => ({
    token_address: contractOf(contract).address,
    ...{ contract_type: 'ERC721', name, symbol: '', possible_spam: false, count: 2 },
  }));
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ page: 1, page_size: 100, cursor: null, result }));
}

/** Serves requests from the archive, and records those about contracts of the market. */
function askArchive(
  { source, now }: MarketServerOptions,
  note: (question: NftQuestion) => void,
): NftSource {
  const known = new Set(source.contracts().map(({ contract }) => contract));
  const answer = createArchiveSource(createMarketArchive(source, now));
  return async (question, signal) => {
    if (known.has(contractKey(question.contract))) note(question);
    return await answer(question, signal);
  };
}

function send(response: ServerResponse, status: number, message: string): void {
  sendJson(response, status, { message });
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
