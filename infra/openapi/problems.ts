import { Problem } from '#shared/http/answer-shapes.ts';
import { ProblemError, type ProblemType } from '#shared/http/problem.ts';
import { referenceTo } from './components.ts';
import { GATEWAY_PROBLEMS } from './gateway-problems.ts';
import { headerObjects, type Operation } from './operation.ts';

/** An example of each problem, with its errors if it has any. */
export const PROBLEM_EXAMPLES: Readonly<Record<ProblemType, ProblemError>> = {
  invalid_request: invalid('/rules/0/threshold', 'expected a threshold for "below"'),
  forbidden: problem('forbidden', 'this takes a key with the scope "write"'),
  not_found: problem('not_found', 'there is no such watchlist'),
  gone: problem('gone', 'the address of a chart works for 30 days'),
  no_trade: problem('no_trade', 'no trade was found in these days'),
  already_exists: new ProblemError('there is a watchlist "punks" already', {
    type: 'already_exists',
    issues: [{ pointer: '/id', detail: 'expected an id that no other watchlist has' }],
  }),
  conflict: problem('conflict', 'read the watchlist again and repeat the change'),
  idempotency_key_reused: problem(
    'idempotency_key_reused',
    'this Idempotency-Key was sent with another request',
  ),
  quota_exceeded: problem(
    'quota_exceeded',
    'expected at most 100 watchlists of a tenant, and these would be 101',
  ),
  in_use: problem('in_use', 'the rule "floor-60" is on this contract; delete the rule first'),
  unreadable: problem(
    'unreadable',
    'another version has written the watchlist "punks" (unknown member "rules.0.onlyWhen"); replace it by PUT or delete it, with If-Match: *',
  ),
  episode_over: problem('episode_over', 'the alert has no episode, or its episode is over'),
  not_confirmable: problem(
    'not_confirmable',
    'a channel of kind "slack" needs no confirmation by mail',
  ),
  method_not_allowed: problem('method_not_allowed', 'this path takes GET, HEAD, POST'),
  precondition_failed: problem('precondition_failed', 'the watchlist is of revision "4" now'),
  precondition_required: problem(
    'precondition_required',
    'expected If-Match: "4" for the watchlist as it is now, or If-Match: * for any',
  ),
  too_large: problem('too_large', 'expected at most 262144 bytes'),
  unsupported_media_type: problem(
    'unsupported_media_type',
    'expected Content-Type: application/json',
  ),
  throttled: problem('throttled', 'your requests come too fast'),
  internal: problem('internal', 'It has been noted; try again later'),
  unhealthy: problem('unhealthy', 'no round of polls was sent since 2026-11-21T11:40:00.000Z'),
  secrets_unavailable: problem(
    'secrets_unavailable',
    'nothing was changed; the operators of the stack have been informed',
  ),
  upstream_failed: problem('upstream_failed', 'the provider gave no usable answer'),
  upstream_unavailable: problem('upstream_unavailable', 'the provider asks us to slow down'),
  upstream_timeout: problem('upstream_timeout', 'the provider did not answer in time'),
  not_supported: problem('not_supported', 'the provider does not offer this operation here'),
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
/** The problems that the gateway answers itself, to any request, by status. */
const GATEWAY = new Map(
  [Unauthorized, TooLarge, Throttled, IntegrationFailure, IntegrationTimeout].map(
    ({ problem: shown }) => [shown.status, shown],
  ),
);

/** The answers to an operation that are problems, by status. */
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
    ...(status === 401 ? { 'WWW-Authenticate': 'How to send a key.' } : {}),
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
          ...(gateway === undefined ? {} : { 'of the gateway': { value: gateway } }),
        },
      },
    },
  };
}

const RETRY_AFTER = 'The seconds to wait before a retry, if known.';
