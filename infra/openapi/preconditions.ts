import { IDEMPOTENCY_KEY } from '#shared/domain/access/keyed-request.ts';
import { header, type Operation } from './operation.ts';

/** What such headers list, as RFC 9110 writes it; what is no tag matches nothing. */
const TAGS = /^(\*|(W\/)?"[!#-~]*"(, *(W\/)?"[!#-~]*")*)$/;

const MATCH =
  'The `ETag` of what is to be changed, for example `"3"`, or `*` for whatever is there. Of a longer one only the revision before the full stop counts. Where there is another by now, nothing is changed and the answer is 412';

/** Of a change of what is there. */
export const ifMatch = header('If-Match', `${MATCH}; without this header it is 428.`, {
  pattern: TAGS,
  required: true,
});

/** Of a change that makes what is not there. */
export const ifMatchIfThere = header(
  'If-Match',
  `${MATCH}; without this header it is 428. Where nothing is there yet it is left out.`,
  { pattern: TAGS },
);

/** Of what is added to a list. */
export const ifMatchOfList = header('If-Match', `${MATCH}. It may be left out.`, { pattern: TAGS });

export const ifNoneMatchAny = header(
  'If-None-Match',
  '`*` makes what is not there and replaces nothing: where there is something, nothing is changed and the answer is 412.',
  { pattern: /^\*$/ },
);

const ifNoneMatch = header(
  'If-None-Match',
  'The `ETag` of an answer that is known already: where nothing has changed, the answer is 304, without a body.',
  { pattern: TAGS },
);

/** Operations of which each reading by a tenant has a tag, by which it need not be reported again. */
export function withTags(
  operations: Readonly<Record<string, Operation>>,
): Readonly<Record<string, Operation>> {
  return Object.fromEntries(
    Object.entries(operations).map(([route, operation]) => [
      route,
      route.startsWith('GET ') && operation.access !== 'public' ? tagged(operation) : operation,
    ]),
  );
}

function tagged({ parameters, answers, ...operation }: Operation): Operation {
  const { 200: reported, ...others } = answers;
  if (reported === undefined) return { parameters, answers, ...operation };
  const headers = {
    ETag: 'Identifies this answer: the revision of the resource, where it has one, a full stop and a hash of the body, in quotes.',
  };
  return {
    ...operation,
    parameters: [...parameters, ifNoneMatch],
    answers: {
      ...others,
      200: { ...reported, headers: { ...reported.headers, ...headers } },
      304: { description: 'It is what `If-None-Match` says.', headers },
    },
  };
}

/** The same, and each `POST` may be repeated under a key without being done again. */
export function withTagsAndKeys(
  operations: Readonly<Record<string, Operation>>,
): Readonly<Record<string, Operation>> {
  const withKeys = Object.entries(operations).map(([route, operation]) => [
    route,
    route.startsWith('POST ') ? keyed(operation) : operation,
  ]);
  return withTags(Object.fromEntries(withKeys));
}

const idempotencyKey = header(
  'Idempotency-Key',
  '1 to 255 characters in double quotes, of your choice and for this request alone. A request that comes again with it within a day is not done again, but answered as it was the first time: so it may be repeated when no answer came.',
  { pattern: IDEMPOTENCY_KEY },
);

function keyed({ parameters, problems, ...operation }: Operation): Operation {
  return {
    ...operation,
    parameters: [...parameters, idempotencyKey],
    problems: [...problems, 'request_under_way', 'idempotency_key_reused'],
  };
}
