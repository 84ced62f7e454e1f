import { describe, expect, it } from 'vitest';
import { answer } from '#shared/http/answer.ts';
import { expectMatch, expectMatchIfGiven, withTag } from '#shared/http/entity-tag.ts';
import { anHttpRequest } from '#test/support/builders.ts';

const read = (headers: Record<string, string>, body: unknown = { pending: 1 }, revision = '"3"') =>
  withTag(anHttpRequest('GET /', { headers }), answer<unknown>(200, body, { ETag: revision }));
const tag = String(read({}).headers?.ETag);

describe('the entity tag of an answer', () => {
  it('builds an entity tag from the revision and a hash of the body, so that it changes with the body', () => {
    const tags = [read({}), read({}, { pending: 0 }), read({}, { pending: 1 }, '"4"')].map(
      ({ headers }) => headers?.ETag,
    );

    expect(tags).toEqual([tag, expect.stringMatching(/^"3\.[\w-]{16}"$/), expect.anything()]);
    expect(new Set(tags).size).toBe(3);
    expect(String(tags[2]).slice(2)).toBe(tag.slice(2));
  });

  it('builds an entity tag from the hash alone without a revision', () => {
    const reported = withTag(anHttpRequest('GET /'), answer<unknown>(200, { pending: 1 }));

    expect(reported.headers?.ETag).toBe(`"${tag.slice(3)}`);
  });

  it('adds no entity tag to the answer of a change, or to a problem', () => {
    const made = answer<unknown>(201, {}, { ETag: '"3"' });

    expect(withTag(anHttpRequest('PUT /'), made)).toBe(made);
    expect(withTag(anHttpRequest('GET /'), made)).toBe(made);
  });

  it.each([tag, `W/${tag}`, `"x", ${tag}`, '*'])(
    'answers a GET with 304 and no body if If-None-Match contains %s',
    (known) => {
      const { statusCode, headers, body } = read({ 'if-none-match': known });

      expect([statusCode, body]).toEqual([304, '']);
      expect(headers).toEqual({ 'Cache-Control': 'private, no-cache', ETag: tag });
    },
  );

  it.each(['"3"', '"3.x"', tag.slice(1, -1), ''])(
    'answers a GET with its body if If-None-Match is %s',
    (known) => {
      expect(read({ 'If-None-Match': known })).toMatchObject({
        statusCode: 200,
        headers: { ETag: tag },
      });
    },
  );
});

describe('a conditional change', () => {
  const ways = (headers: Record<string, string>, revision: number | undefined) =>
    [expectMatch, expectMatchIfGiven].map((expected) => {
      try {
        expected(anHttpRequest('PUT /', { headers }), 'rule', revision);
        return 'passes';
      } catch (error) {
        return (error as { status: number }).status;
      }
    });

  it.each<readonly [header: string | undefined, there: unknown[], nothing: unknown[]]>([
    [undefined, [428, 'passes'], ['passes', 'passes']],
    ['If-Match: *', ['passes', 'passes'], [412, 412]],
    ['If-Match: "3"', ['passes', 'passes'], [412, 412]],
    [`If-Match: ${tag}`, ['passes', 'passes'], [412, 412]],
    ['If-Match: "2", "3.x"', ['passes', 'passes'], [412, 412]],
    ['If-Match: "4"', [412, 412], [412, 412]],
    ['If-Match: 3', [400, 400], [400, 400]],
    ['If-Match: W/"3"', [412, 412], [412, 412]],
    ['If-Match: ', [400, 400], [400, 400]],
    ['If-None-Match: *', [412, 412], ['passes', 'passes']],
    ['If-None-Match: "3.x"', [412, 412], ['passes', 'passes']],
    ['If-None-Match: "4"', [428, 'passes'], ['passes', 'passes']],
  ])(
    'a change with %s results in %j at revision 3 and in %j without a resource (if a header is required, if it is optional)',
    (header, there, nothing) => {
      const [name = '', value = ''] = header?.split(': ') ?? [];
      const headers = header === undefined ? {} : { [name]: value };

      expect([ways(headers, 3), ways(headers, undefined)]).toEqual([there, nothing]);
    },
  );

  it.each([
    ['3', 'If-Match: expected *, or the revision in double quotes', 'found 3'],
    ['W/"3"', 'the rule has revision "3" now', 'only tags without W/'],
    ['"2"', 'the rule has revision "3" now', 'read it again'],
  ])('a change with If-Match %s is refused with %s … %s', (tag, begins, ends) => {
    const event = anHttpRequest('PUT /', { headers: { 'If-Match': tag } });

    expect(() => expectMatch(event, 'rule', 3)).toThrow(begins);
    expect(() => expectMatch(event, 'rule', 3)).toThrow(ends);
  });
});
