import { describe, expect, it } from 'vitest';
import { locateMember, parseExactJson } from '#shared/clients/exact-json.ts';

describe('parseExactJson', () => {
  it.each([
    ['{"price":0.050000000000000007,"page":1}', { price: '0.050000000000000007', page: '1' }],
    ['[1e400,-0,1.0]', ['1e400', '-0', '1.0']],
    ['{"page":"1","spam":true,"cursor":null}', { page: '1', spam: true, cursor: null }],
    ['3', '3'],
  ])('parseExactJson reads the numbers of %s as text', (text, expected) => {
    expect(parseExactJson(text)).toEqual(expected);
  });

  it('parseExactJson drops a member named __proto__', () => {
    const parsed = parseExactJson('{"__proto__":{"price":"1"},"a":{"__proto__":1}}');

    expect(JSON.stringify(parsed)).toBe('{"a":{}}');
  });

  it.each(['', '{', 'undefined', '{"a":1,}', `${'['.repeat(50_000)}${']'.repeat(50_000)}`])(
    'parseExactJson returns undefined for text that is not JSON, such as %.20s',
    (text) => {
      expect(parseExactJson(text)).toBeUndefined();
    },
  );
});

describe('locateMember', () => {
  it.each([
    ['{"a":1}', '1'],
    ['{"b":{"a":2},"a":1}', '1'],
    ['{"b":"\\"a\\":2,","a":1}', '1'],
    ['{"b":["a",{"a":2}],"a":{"a":3}}', '{"a":3}'],
    ['{"a":1,"a":2}', '2'],
    ['{"\\u0061":1}', '1'],
    ['{"a":"}"}', '"}"'],
  ])('locateMember locates the value of the member "a" in %s', (text, value) => {
    const [start, end] = locateMember(text, 'a') ?? [];

    expect(text.slice(start, end)).toBe(value);
  });

  it.each(['{}', '{"b":{"a":1}}', '{"b":"a"}'])(
    'locateMember finds no member "a" in %s',
    (text) => {
      expect(locateMember(text, 'a')).toBeUndefined();
    },
  );
});
