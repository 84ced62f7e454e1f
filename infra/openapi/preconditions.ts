import { IDEMPOTENCY_KEY } from '#shared/domain/access/keyed-request.ts';
import { header, type Operation } from './operation.ts';

/** The tags of such headers, as in RFC 9110; what is no tag matches nothing. */
const TAGS = /^(\*|(W\/)?"[!#-~]*"(, *(W\/)?"[!#-~]*")*)$/;

const MATCH =
  'The `ETag` of the revision to change, for example `"3"`, or `*` for any revision. Of a longer tag only the revision before the full stop counts. If the current revision is another, nothing changes and the answer is 412';

/** Of a change of something that exists. */
export const ifMatch = header('If-Match', `${MATCH}; without this header it is 428.`, {
  pattern: TAGS,
  required: true,
});

/** Of a change that creates what does not exist. */
export const ifMatchIfThere = header(
  'If-Match',
  `${MATCH}; without this header it is 428. Leave it out to create what does not exist yet.`,
  { pattern: TAGS },
);

/** Of an addition to a list. */
export const ifMatchOfList = header('If-Match', `${MATCH}. It may be left out.`, { pattern: TAGS });

export const ifNoneMatchAny = header(
  'If-None-Match',
  '`*` only creates: if it exists already, nothing changes and the answer is 412.',
  { pattern: /^\*$/ },
);

export const NOT_MODIFIED = 'Nothing has changed since the answer with that `ETag`.';

const ifNoneMatch = header(
  'If-None-Match',
  'The `ETag` of an earlier answer: if nothing has changed, the answer is 304, without a body.',
  { pattern: TAGS },
);

/** A reading by a tenant has a tag: an unchanged answer is not sent again. */
export function tagged({ parameters, answers, ...operation }: Operation): Operation {
  const { 200: reported, ...others } = answers;
  if (reported === undefined) return { parameters, answers, ...operation };
  const headers = {
    ETag: 'Identifies this answer, in quotes: the revision and a full stop, if there is a revision, and a hash of the body.',
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
  '1 to 255 characters in double quotes, unique to this request. A request repeated with its key within a day is not executed again, and has the same answer as the first: repeat it if no answer came.',
  { pattern: IDEMPOTENCY_KEY },
);

/** A `POST` may be repeated under a key without being done again. */
export function keyed({ parameters, problems, ...operation }: Operation): Operation {
  return {
    ...operation,
    parameters: [...parameters, idempotencyKey],
    problems: [...problems, 'idempotency_key_reused'],
  };
}
