import { describe, expect, it } from 'vitest';
import { Identifier } from '#shared/domain/words.ts';
import { cursorParameter, limitParameter, toCursor } from '#shared/http/cursor.ts';

describe('a pagination cursor', () => {
  it.each(['LIST#punks', 'LIST#a-b-0'])('decodes a cursor to its key: %s', (key) => {
    expect(cursorParameter(Identifier, 'LIST#').parse(toCursor(key))).toBe(key);
  });

  it.each([
    { forged: 'nothing', text: '' },
    { forged: 'a plain key', text: 'LIST#punks' },
    { forged: 'another kind of key', text: toCursor('JOB#punks') },
    { forged: "another tenant's key", text: toCursor('TENANT#evil') },
    { forged: 'padding', text: `${toCursor('LIST#p')}==` },
    { forged: 'another alphabet', text: `${toCursor('LIST#p')}+/` },
    {
      forged: 'bytes that are not UTF-8',
      text: Buffer.from('LIST#\xff\xfe', 'latin1').toString('base64url'),
    },
    { forged: 'a key that is too long', text: toCursor(`LIST#${'a'.repeat(400)}`) },
    { forged: 'a key with non-ASCII characters', text: toCursor('LIST#\u{1f98d}') },
    { forged: 'a key after the last id', text: toCursor('LIST#~') },
    { forged: 'only the prefix', text: toCursor('LIST#') },
    { forged: 'control characters', text: toCursor('LIST#\u0000') },
  ])('rejects a forged cursor: $forged', ({ text }) => {
    const [issue] = cursorParameter(Identifier, 'LIST#').safeParse(text).error?.issues ?? [];

    expect(issue?.message).toBe('expected a cursor from an earlier response');
  });
});

describe('the limit of a page', () => {
  it.each([
    { most: 100, text: undefined, limit: 50 },
    { most: 20, text: undefined, limit: 20 },
    { most: 100, text: '1', limit: 1 },
    { most: 100, text: '100', limit: 100 },
  ])('reads the page limit $text, at most $most, as $limit', ({ most, text, limit }) => {
    expect(limitParameter(most).parse(text)).toBe(limit);
  });

  it.each(['', '0', '101', '-1', '1.5', '1e1', '00000', ' 5', 'all'])(
    'rejects the page limit "%s"',
    (text) => {
      expect(limitParameter(100).safeParse(text).error?.issues).toHaveLength(1);
    },
  );

  it.each([
    ['1000000', 'expected at most 100'],
    ['-1', 'expected at least 1'],
    ['1.5', 'expected a whole number'],
  ])('rejects the page limit "%s" with the reason: %s', (text, message) => {
    expect(limitParameter(100).safeParse(text).error?.issues).toMatchObject([{ message }]);
  });
});
