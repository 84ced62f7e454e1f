import { IDEMPOTENCY_KEY } from '#shared/domain/access/keyed-request.ts';
import { header, type Operation } from './operation.ts';

/** The syntax of entity tags in these headers (RFC 9110). `If-Match` matches no weak tag. */
const TAGS = /^(\*|(W\/)?"[!#-~]*"(, *(W\/)?"[!#-~]*")*)$/;

const MATCH =
  'The `ETag` of the revision to change, for example `"3"`, or `*` for any revision. If the tag contains a full stop, only the part before the full stop is compared. If the current revision differs, nothing changes and the response is 412';

/** `If-Match` for operations that change an existing resource. */
export const ifMatch = header('If-Match', `${MATCH}. Without this header the response is 428.`, {
  pattern: TAGS,
  required: true,
});

/** `If-Match` for operations that change a resource or create it. */
export const ifMatchIfThere = header(
  'If-Match',
  `${MATCH}. To create a resource, omit this header. If the resource already exists, a request without this header returns 428.`,
  { pattern: TAGS },
);

/** `If-Match` for operations that add a part to a list. */
export const ifMatchOfList = header('If-Match', `${MATCH}. This header is optional.`, {
  pattern: TAGS,
});

export const ifNoneMatchAny = header(
  'If-None-Match',
  '`*` allows only the creation of the resource: if the resource already exists, nothing changes and the response is 412.',
  { pattern: /^\*$/ },
);

export const NOT_MODIFIED =
  'Not modified: the current `ETag` matches the `If-None-Match` of the request.';

const ifNoneMatch = header(
  'If-None-Match',
  'The `ETag` of an earlier response. If nothing has changed since, the response is 304 without a body.',
  { pattern: TAGS },
);

/** Adds `ETag` and `If-None-Match` to a tenant's read: an unchanged body is not sent again. */
export function tagged({ parameters, answers, ...operation }: Operation): Operation {
  const { 200: reported, ...others } = answers;
  if (reported === undefined) return { parameters, answers, ...operation };
  const headers = {
    ETag: 'Identifies this response: a hash of the body, in quotes. If the resource has a revision, the revision and a full stop precede the hash.',
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
  '1 to 255 characters in double quotes, unique to this request. A request with the same key within a day is not executed again, and returns the same response. If you receive no response, repeat the request with the same key.',
  { pattern: IDEMPOTENCY_KEY },
);

/** Adds `Idempotency-Key` to a `POST`: a repetition with the same key is executed only once. */
export function keyed({ parameters, problems, ...operation }: Operation): Operation {
  return {
    ...operation,
    parameters: [...parameters, idempotencyKey],
    problems: [...problems, 'idempotency_key_reused'],
  };
}
