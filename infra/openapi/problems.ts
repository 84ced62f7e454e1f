import { ProblemError, type ProblemType } from '#shared/http/problem.ts';
import { Problem } from '#shared/http/told.ts';
import { referenceTo } from './components.ts';

/** For each problem a detail as it may be told, and its errors where it has some. */
const EXAMPLES: Readonly<Record<ProblemType, ProblemError>> = {
  invalid_request: invalid('/rules/0/threshold', 'expected a threshold for "below"'),
  forbidden: problem('forbidden', 'this takes a key with the scope "write"'),
  not_found: problem('not_found', 'there is no such watchlist'),
  no_trade: problem('no_trade', 'no trade was found in these days'),
  already_exists: new ProblemError('there is a watchlist "punks" already', {
    type: 'already_exists',
    complaints: [{ pointer: '/id', detail: 'expected an id that no other watchlist has' }],
  }),
  conflict: problem('conflict', 'read the watchlist again and repeat the change'),
  episode_over: problem('episode_over', 'the alert is of no episode, or of one that is over'),
  not_confirmable: problem('not_confirmable', 'a channel of kind "slack" is confirmed by no mail'),
  precondition_failed: problem('precondition_failed', 'the watchlist has the tag "4" now'),
  too_large: problem('too_large', 'expected at most 262144 bytes'),
  throttled: problem('throttled', 'your requests come too fast'),
  internal: problem('internal', 'It has been noted; try again later'),
  secrets_unavailable: problem(
    'secrets_unavailable',
    'nothing was changed; the operators of the stack have been told',
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
  const complaints = [{ pointer, detail }];
  return new ProblemError(`${pointer}: ${detail}`, { type: 'invalid_request', complaints });
}

/** What the gateway answers itself, as it may to any request: by status. */
const GATEWAY: Readonly<Record<number, string>> = {
  401: 'There is no valid API key in `X-API-Key`.',
  413: 'The body is too large.',
  429: 'Too many requests at once; try again in a second.',
  502: 'The request could not be handled; try again.',
  504: 'The request took too long; try again.',
};

/** The answers to an operation that are problems, by status. */
export function problemAnswers(
  types: readonly ProblemType[],
  isPublic: boolean,
): Readonly<Record<string, object>> {
  const all: readonly ProblemType[] = [...types, 'internal'];
  const ours = Map.groupBy(all, (type) => EXAMPLES[type].status);
  const gateway = Object.keys(GATEWAY).map(Number);
  const statuses = [...new Set([...ours.keys(), ...gateway])].filter(
    (status) => !(isPublic && status === 401),
  );
  return Object.fromEntries(
    statuses.map((status) => [status, answerOf(status, ours.get(status) ?? [])]),
  );
}

function answerOf(status: number, types: readonly ProblemType[]): object {
  const words = [
    ...types.map((type) => `\`${type}\`: ${EXAMPLES[type].toJSON().title}.`),
    ...(GATEWAY[status] === undefined ? [] : [GATEWAY[status]]),
  ];
  const examples = types.map((type) => [type, { value: EXAMPLES[type].toJSON() }] as const);
  return {
    description: words.join(' '),
    ...([429, 503].includes(status) ? { headers: { 'Retry-After': RETRY_AFTER } } : {}),
    content: {
      'application/problem+json': {
        schema: referenceTo(Problem),
        ...(examples.length === 0 ? {} : { examples: Object.fromEntries(examples) }),
      },
    },
  };
}

const RETRY_AFTER = {
  description: 'After how many seconds to ask again, where that is known.',
  schema: { type: 'string' },
};
