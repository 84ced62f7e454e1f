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

export const NOT_MODIFIED = 'It is what `If-None-Match` says.';

const ifNoneMatch = header(
  'If-None-Match',
  'The `ETag` of an answer that is known already: where nothing has changed, the answer is 304, without a body.',
  { pattern: TAGS },
);

/** A reading by a tenant has a tag: an unchanged answer is not sent again. */
export function tagged({ parameters, answers, ...operation }: Operation): Operation {
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
      304: { description: NOT_MODIFIED, headers },
    },
  };
}

const idempotencyKey = header(
  'Idempotency-Key',
  '1 to 255 characters in double quotes, of your choice and for this request alone. A request that comes again with it within a day is not done again, but answered as it was the first time: so it may be repeated when no answer came.',
  { pattern: IDEMPOTENCY_KEY },
);

/** A `POST` may be repeated under a key without being done again. */
export function keyed({ parameters, problems, ...operation }: Operation): Operation {
  return {
    ...operation,
    parameters: [...parameters, idempotencyKey],
    problems: [...problems, 'request_under_way', 'idempotency_key_reused'],
  };
}
