import {
  type HttpClient,
  HttpError,
  type HttpErrorReason,
  type HttpRequest,
  type HttpResponse,
} from '#shared/clients/http-client.ts';
import type { Instant } from '#shared/domain/market/instant.ts';

/** One request of a client with its response, or with the reason of its failure. */
export type Exchange = {
  readonly request: HttpRequest;
  readonly sentAt: Instant;
  readonly milliseconds: number;
  readonly response: HttpResponse | HttpErrorReason;
};

/** An HTTP client that records every exchange, so the clients of providers need no change. */
export function recordExchanges(http: HttpClient, now: () => Instant) {
  const exchanges: Exchange[] = [];
  const recorded: HttpClient = {
    request: async (request) => {
      const sentAt = now();
      const keep = (response: Exchange['response']) => {
        exchanges.push({ request, sentAt, milliseconds: now() - sentAt, response });
      };
      try {
        const response = await http.request(request);
        keep(response);
        return response;
      } catch (error) {
        keep(error instanceof HttpError ? error.reason : 'timeout');
        throw error;
      }
    },
  };
  return {
    http: recorded,
    /** The exchanges since the last call. */
    take: (): readonly Exchange[] => exchanges.splice(0),
  };
}
