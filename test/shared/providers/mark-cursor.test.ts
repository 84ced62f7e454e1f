import { expect, it } from 'vitest';
import { providerOfCursor } from '#shared/domain/nft-data/upstream-cursor.ts';
import { markCursor } from '#shared/providers/mark-cursor.ts';

it('marks the cursor of a page with its provider, and leaves every other byte unchanged', () => {
  const body = '{"page":1, "cursor" : "2.a.b","result":[{"price":1.10}]}';

  const marked = markCursor('opensea', body);

  expect(marked).toBe('{"page":1, "cursor" :"by.opensea.2.a.b","result":[{"price":1.10}]}');
  expect(providerOfCursor('by.opensea.2.a.b')).toEqual({ provider: 'opensea', cursor: '2.a.b' });
});

it.each(['{"cursor":"","result":[]}', '{"cursor":null,"result":[]}', '{"token_ids":["1"]}'])(
  'leaves the page %s without a cursor unchanged',
  (body) => {
    expect(markCursor('opensea', body)).toBe(body);
  },
);

it.each(['up.x', 'abc', 'by.nobody.2', 'by.'])('reads no provider from the cursor %s', (cursor) => {
  expect(providerOfCursor(cursor)).toBeUndefined();
});
