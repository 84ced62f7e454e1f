import type { APIGatewayProxyResult } from 'aws-lambda';
import { LIMITS } from '#shared/domain/limits.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { type Instant, SECOND } from '#shared/domain/market/instant.ts';
import type { Calendar } from '#test/simulation/calendar.ts';
import { TIMEOUT_SECONDS } from '#test/simulation/functions.ts';
import type { ApiKeyInvariants } from '#test/simulation/invariants/api-key-invariants.ts';
import type { KeyedRequestInvariants } from '#test/simulation/invariants/keyed-request-invariants.ts';
import type { Runner } from '#test/simulation/runner.ts';
import type { Stream } from '#test/simulation/services/streams.ts';
import type { Timeline } from '#test/simulation/services/timeline.ts';
import { anHttpRequest } from '#test/support/builders.ts';
import type { Asked } from './readers.ts';

type ClientsWorld = {
  readonly timeline: Timeline;
  readonly runner: Pick<Runner, 'run'>;
  readonly stream: Stream;
  readonly reported: (asked: Asked) => void;
  readonly keyedRequests: Pick<KeyedRequestInvariants, 'sent' | 'repeated' | 'answered'>;
  readonly apiKeys: Pick<ApiKeyInvariants, 'handedOut' | 'failed'>;
};

type Work = {
  readonly tenants: readonly string[];
  /** The contract that new lists watch. */
  readonly contract: ContractKey;
  readonly start: Instant;
  readonly minutes: number;
  readonly worksAt: Calendar;
};

/**
 * A request that creates a list or a rule. The mark of the request becomes the name of the list or
 * the label of the rule.
 */
type KeyedRequest = { readonly mark: string; readonly event: ReturnType<typeof anHttpRequest> };

/** A rule that never fires, because only its creation is checked. */
const RULE = { metric: 'floor_price', when: 'below', threshold: '1' };

const RETRY_DELAY = 5 * SECOND;
/** The share of answers that are lost between the gateway and the client. */
const LOST_ANSWERS = 0.1;
/** The limit of live keys of a tenant. Keys of failed requests count, too. */
const MOST_KEYS = LIMITS.tenant.keys;

/**
 * Starts programs of each tenant that make lists and rules with an `Idempotency-Key`, and API keys.
 */
export function startClients(
  { timeline, runner, stream, reported, keyedRequests, apiKeys }: ClientsWorld,
  { tenants, contract, start, minutes, worksAt }: Work,
): void {
  const keyedRequest = (tenant: string, number: number): KeyedRequest => {
    const mark = `Request ${number} of ${tenant}`;
    const from = { tenant, headers: { 'Idempotency-Key': `"request-${number}"` } };
    if (stream.happens(0.5)) {
      const body = { name: mark, contracts: [contract], rules: [RULE] };
      return { mark, event: anHttpRequest('POST /v1/watchlists', { ...from, body }) };
    }
    const body = { ...RULE, label: mark };
    const given = { ...from, path: { watchlist: 'list-0' }, body };
    return { mark, event: anHttpRequest('POST /v1/watchlists/{watchlist}/rules', given) };
  };

  /** Sends a request, and repeats it with the same key until the client gets an answer. */
  const sends = (tenant: string, { mark, event }: KeyedRequest) => {
    let answer: APIGatewayProxyResult | undefined;
    const repeats = () => {
      keyedRequests.repeated();
      timeline.at(timeline.now() + RETRY_DELAY, () => sends(tenant, { mark, event }));
    };
    runner.run(
      `serve-api ${mark}`,
      TIMEOUT_SECONDS.manage,
      (instance, by) =>
        instance.manage(by, async (ports) => {
          answer = await ports.ask(event);
        }),
      (isDone) => {
        if (!isDone || answer === undefined || asksToRepeat(answer)) return repeats();
        const { statusCode: status, body, headers = {} } = answer;
        reported({ tenant, route: `${event.httpMethod} ${event.resource}`, status, body });
        keyedRequests.answered(mark, status, String(headers.Location));
        if (stream.happens(LOST_ANSWERS)) repeats();
      },
    );
    return true;
  };

  const makesKey = (tenant: string, name: string) => {
    const body = { name, scopes: ['read'] };
    const event = anHttpRequest('POST /v1/keys', { tenant, scopes: 'admin', body });
    let handOut = () => {};
    runner.run(
      `manage-keys ${name}`,
      TIMEOUT_SECONDS.manage,
      (instance, by) =>
        instance.manage(by, async (ports) => {
          try {
            const answer = await ports.ask(event);
            handOut = () => apiKeys.handedOut(by, answer);
          } catch (error) {
            apiKeys.failed(error);
            throw error;
          }
        }),
      (isDone) => {
        if (isDone) handOut();
      },
    );
    return true;
  };

  const someTime = () => worksAt(start + stream.between(1, minutes * 60) * SECOND);
  for (const tenant of tenants) {
    const requests = stream.between(2, 6);
    for (let number = 1; number <= requests; number += 1) {
      timeline.at(someTime(), () => {
        const request = keyedRequest(tenant, number);
        keyedRequests.sent(request.mark);
        return sends(tenant, request);
      });
    }
    const keys = stream.between(5, MOST_KEYS);
    for (let number = 1; number <= keys; number += 1) {
      timeline.at(someTime(), () => makesKey(tenant, `key-${number}`));
    }
  }
}

/** Whether the server failed or requests a retry. */
function asksToRepeat({ statusCode, body }: APIGatewayProxyResult): boolean {
  return statusCode >= 500 || /:conflict"/.test(body);
}
