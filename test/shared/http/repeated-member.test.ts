import fc from 'fast-check';
import { expect, it } from 'vitest';
import { repeatedMember } from '#shared/http/repeated-member.ts';
import { growthOf } from '#test/support/garbage.ts';

it.each<[json: string, path: readonly (string | number)[] | undefined]>([
  ['{"a": 1, "b": {"a": 2}, "c": [{"a": 3}, {"a": 4}]}', undefined],
  ['{"a": "a", "b": "a: {", "c": "\\"a\\":"}', undefined],
  ['["a", "a", {}]', undefined],
  ['{"a": 1, "a": 1}', ['a']],
  ['{"rules": [{"on": "*"}, {"on": "*", "when": {}, "on" : 2}]}', ['rules', 1, 'on']],
  ['{"a": [[], [{}, {"b": 1, "b": 2}]]}', ['a', 1, 1, 'b']],
  ['{"a": 1, "\\u0061": 2}', ['a']],
  ['{"__proto__": 1, "__proto__": 2}', ['__proto__']],
  ['{"": 1, "": 2}', ['']],
])('finds in %s the repeated member %j', (json, path) => {
  expect(repeatedMember(json)).toEqual(path);
});

it('finds no repeated member in a document that was written from an object', () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      expect(repeatedMember(JSON.stringify(JSON.parse(json)))).toBeUndefined();
    }),
  );
});

it.each<[what: string, textOf: (size: number) => string]>([
  ['escapes', (size) => `"${'\\"'.repeat(size / 2)}"`],
  ['backslashes', (size) => `["${'\\\\'.repeat(size / 2)}"]`],
  ['spaces after a string', (size) => `["a"${' '.repeat(size)}, "b"]`],
  ['objects in objects', (size) => `${'{"a":'.repeat(size / 6)}1${'}'.repeat(size / 6)}`],
  [
    'members',
    (size) =>
      JSON.stringify(Object.fromEntries(Array.from({ length: size / 8 }, (_, n) => [`m${n}`, n]))),
  ],
])('searches for repeated members in JSON with %s in linear time', (_what, textOf) => {
  JSON.parse(textOf(4000));

  expect(growthOf(repeatedMember, textOf)).toBeLessThan(32);
});

it.each<[what: string, textOf: (size: number) => string]>([
  ['quotes in an unterminated string', (size) => `"${'\\"'.repeat(size / 2)}`],
  ['a backslash at the end', (size) => `"${'\\"'.repeat(size / 2)}\\`],
  ['escapes of line ends', (size) => `"${'\\\n"'.repeat(size / 3)}`],
])('searches for repeated members in invalid JSON (%s) in linear time', (_what, textOf) => {
  expect(growthOf(repeatedMember, textOf)).toBeLessThan(32);
});
