import { Problem } from '#shared/http/answer-shapes.ts';
import { ProblemError, type ProblemType } from '#shared/http/problem.ts';
import { referenceTo } from './components.ts';
import { GATEWAY_PROBLEMS } from './gateway-problems.ts';
import { headerObjects, type Operation } from './operation.ts';

/** An example of each problem, with errors if it has any. */
export const PROBLEM_EXAMPLES: Readonly<Record<ProblemType, ProblemError>> = {
  invalid_request: invalid('/rules/0/threshold', 'expected a threshold for "below"'),
  forbidden: problem('forbidden', 'this request requires a key with the scope "write"'),
  not_found: problem('not_found', 'there is no such watchlist'),
  gone: problem('gone', 'the chart has expired: links to charts are valid for 30 days'),
  no_trade: problem('no_trade', 'no trade was found in the requested days; request more days'),
  already_exists: new ProblemError(
    'the watchlist "punks" already exists; choose another id, or replace the watchlist with PUT',
    {
      type: 'already_exists',
      issues: [{ pointer: '/id', detail: 'expected an id that no other watchlist has' }],
    },
  ),
  conflict: problem(
    'conflict',
    'another request changed the watchlist at the same time; read it again and repeat the change',
  ),
  idempotency_key_reused: problem(
    'idempotency_key_reused',
    'this Idempotency-Key was already used for another request; send a new key',
  ),
  quota_exceeded: problem(
    'quota_exceeded',
    'expected at most 100 watchlists in a tenant, found 101',
  ),
  in_use: problem(
    'in_use',
    'the rule "floor-60" applies to this contract; change the "on" of the rule, or delete the rule, first',
  ),
  unreadable: problem(
    'unreadable',
    'another version of the stack wrote the watchlist "punks" (unknown member "rules.0.onlyWhen"); send PUT to replace it or DELETE to delete it, with If-Match: *',
  ),
  episode_over: problem(
    'episode_over',
    'the alert has no open episode, so there is nothing to acknowledge',
  ),
  not_confirmable: problem(
    'not_confirmable',
    'a channel of kind "slack" needs no confirmation by email',
  ),
  method_not_allowed: problem('method_not_allowed', 'this path accepts GET, HEAD, POST'),
  precondition_failed: problem(
    'precondition_failed',
    'the watchlist has revision "4" now; read it again and repeat the change',
  ),
  precondition_required: problem(
    'precondition_required',
    'expected If-Match: "4" for the current watchlist, or If-Match: * for any revision',
  ),
  too_large: problem('too_large', 'expected a body of at most 262144 bytes'),
  unsupported_media_type: problem(
    'unsupported_media_type',
    'expected Content-Type: application/json',
  ),
  throttled: problem(
    'throttled',
    'too many requests; retry after the number of seconds in the Retry-After header',
  ),
  internal: problem('internal', 'an internal error occurred and was logged; try again later'),
  unhealthy: problem('unhealthy', 'no polls have been sent since 2026-11-21T11:40:00.000Z'),
  secrets_unavailable: problem(
    'secrets_unavailable',
    'channel secrets cannot be stored at the moment, so nothing was changed. The operators have been notified. Try again later.',
  ),
  upstream_failed: problem('upstream_failed', 'the provider returned no usable response'),
  upstream_unavailable: problem(
    'upstream_unavailable',
    'the provider throttles this stack because of too many requests; try again later',
  ),
  upstream_timeout: problem('upstream_timeout', 'the provider did not respond in time'),
  not_supported: problem(
    'not_supported',
    'the provider does not offer this operation for this contract',
  ),
};

function problem(type: ProblemType, detail: string): ProblemError {
  return new ProblemError(detail, { type });
}

function invalid(pointer: string, detail: string): ProblemError {
  const issues = [{ pointer, detail }];
  return new ProblemError(`${pointer}: ${detail}`, { type: 'invalid_request', issues });
}

const { Unauthorized, TooLarge, Throttled, IntegrationFailure, IntegrationTimeout } =
  GATEWAY_PROBLEMS;
/** The problems that the gateway may return for any request, by status. */
const GATEWAY = new Map(
  [Unauthorized, TooLarge, Throttled, IntegrationFailure, IntegrationTimeout].map(
    ({ problem: shown }) => [shown.status, shown],
  ),
);

/** The problem answers of an operation, by status. */
export function problemAnswers(operation: Operation): Readonly<Record<string, object>> {
  const { problems, access, body } = operation;
  const all: readonly ProblemType[] = [...problems, 'internal'];
  const ours = Map.groupBy(all, (type) => PROBLEM_EXAMPLES[type].status);
  const gateway = [...GATEWAY.keys()].filter(
    (status) => (status !== 401 || access !== 'public') && (status !== 413 || body !== undefined),
  );
  return Object.fromEntries(
    [...new Set([...ours.keys(), ...gateway])].map((status) => [
      status,
      answerOf(operation, status, ours.get(status) ?? []),
    ]),
  );
}

function answerOf(
  { tag, problemHeaders }: Operation,
  status: number,
  types: readonly ProblemType[],
): object {
  const gateway = GATEWAY.get(status);
  const words = types.map((type) => `\`${type}\`: ${PROBLEM_EXAMPLES[type].toJSON().title}.`);
  const examples = types.map((type) => {
    const problem = PROBLEM_EXAMPLES[type];
    const message = tag === 'NFT data' ? { message: problem.message } : {};
    return [type, { value: { ...problem.toJSON(), ...message } }] as const;
  });
  const headers = {
    ...(types.length === 0 ? {} : problemHeaders),
    ...(status === 401 ? { 'WWW-Authenticate': 'The authentication scheme, `ApiKey`.' } : {}),
    ...([429, 503].includes(status) ? { 'Retry-After': RETRY_AFTER } : {}),
  };
  return {
    description: [...words, ...(gateway === undefined ? [] : [gateway.detail])].join(' '),
    headers: headerObjects(headers),
    content: {
      'application/problem+json': {
        schema: referenceTo(Problem),
        examples: {
          ...Object.fromEntries(examples),
          ...(gateway === undefined ? {} : { 'from the gateway': { value: gateway } }),
        },
      },
    },
  };
}

const RETRY_AFTER = 'The seconds to wait before a retry, if known.';
