import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonMistake } from '#shared/http/json-mistake.ts';

it.each([
  ["{'id': 1}", `found "'" at line 1, column 2; JSON strings use double quotes (")`],
  ['{"a": “x”}', 'found "“" at line 1, column 7; JSON strings use double quotes (")'],
  ['{"a": 1,}', 'found "}" at line 1, column 9'],
  ['{\n  "a": 1\n  "b": 2\n}', 'found "\\"" at line 3, column 3'],
  ['{"a": tru}', 'found "}" at line 1, column 10'],
  ['{"a": nope}', 'found "o" at line 1, column 8'],
  ['{a: 1}', 'found "a" at line 1, column 2'],
  ['{"a": 1} x', 'found "x" at line 1, column 10'],
  ['{"a": -x}', 'found "x" at line 1, column 8'],
  ['{"a": 1e}', 'found "}" at line 1, column 9'],
  ['{"a": "\\q"}', 'found "q" at line 1, column 9'],
  ['{"a": "x\ny"}', 'found "\\n" at line 1, column 9'],
  ['{"a": 01}', 'found "1" at line 1, column 8'],
  ['🦍', 'found "🦍" at line 1, column 1'],
  ['{"a": 1', 'unexpected end of the text'],
  ['{"a": "x', 'unexpected end of the text'],
  ['', 'unexpected end of the text'],
])('names the first character of %j that JSON does not allow', (text, mistake) => {
  expect(jsonMistake(text)).toBe(mistake);
});

it('locates an invalid character before or after any JSON document', () => {
  const documents = fc.json().map((json) => JSON.stringify(JSON.parse(json), null, 1));
  fc.assert(
    fc.property(documents, (document) => {
      expect(jsonMistake(`${document}§`)).toMatch(/^found "§" at line/);
      expect(jsonMistake(`§${document}`)).toBe('found "§" at line 1, column 1');
    }),
  );
});
