import { describe, expect, it } from 'vitest';
import { Identifier } from '#shared/domain/words.ts';
import { cursorParameter, limitParameter, toCursor } from '#shared/http/cursor.ts';

describe('a cursor', () => {
  it.each(['LIST#punks', 'LIST#a-b-0'])('brings back the place it was made of: %s', (key) => {
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
      forged: 'bytes that are no text',
      text: Buffer.from('LIST#\xff\xfe', 'latin1').toString('base64url'),
    },
    { forged: 'a key longer than any', text: toCursor(`LIST#${'a'.repeat(400)}`) },
    { forged: 'a key that is no text of ASCII', text: toCursor('LIST#\u{1f98d}') },
    { forged: 'the key behind the last id', text: toCursor('LIST#~') },
    { forged: 'the prefix alone', text: toCursor('LIST#') },
    { forged: 'control characters', text: toCursor('LIST#\u0000') },
  ])('that was forged ($forged) is refused', ({ text }) => {
    const [issue] = cursorParameter(Identifier, 'LIST#').safeParse(text).error?.issues ?? [];

    expect(issue?.message).toBe('expected a cursor as an earlier answer gave it');
  });
});

describe('a limit', () => {
  it.each([
    { most: 100, text: undefined, limit: 50 },
    { most: 20, text: undefined, limit: 20 },
    { most: 100, text: '1', limit: 1 },
    { most: 100, text: '100', limit: 100 },
  ])('of $text, at most $most, is $limit', ({ most, text, limit }) => {
    expect(limitParameter(most).parse(text)).toBe(limit);
  });

  it.each(['', '0', '101', '-1', '1.5', '1e1', '00000', ' 5', 'all'])(
    'of "%s" is refused',
    (text) => {
      expect(limitParameter(100).safeParse(text).error?.issues).toHaveLength(1);
    },
  );
});
