import { expect, it } from 'vitest';
import { cursorTo, isArchiveCursor, placeFromCursor } from '#shared/domain/archive/place.ts';

const PLACE = { after: '4711', page: 2, limit: 25 };
const CURSOR = cursorTo(PLACE, 'zombies');

it('decodes a cursor only for the query that it belongs to', () => {
  expect(placeFromCursor(CURSOR, 'zombies')).toEqual(PLACE);
  expect(placeFromCursor(CURSOR, 'apes')).toBeUndefined();
});

it('distinguishes cursors of the archive from those of other sources', () => {
  expect(isArchiveCursor(CURSOR)).toBe(true);
  expect(['', 'eyJhbGciOiJIUzI1NiJ9', 'fw1'].map(isArchiveCursor)).toEqual([false, false, false]);
});

it('creates cursors that need no escaping in a URL', () => {
  expect(encodeURIComponent(cursorTo({ ...PLACE, after: '\u{1f435}?&=/+' }, ''))).toMatch(
    /^[\w.-]+$/,
  );
});

it('rejects a cursor that was shortened, changed or extended anywhere', () => {
  const damaged = [...CURSOR].flatMap((notification, index) => [
    CURSOR.slice(0, index),
    CURSOR.slice(0, index) + (notification === 'A' ? 'B' : 'A') + CURSOR.slice(index + 1),
    `${CURSOR.slice(0, index)}A${CURSOR.slice(index)}`,
    `${CURSOR}${'=! \n'[index % 4]}`,
  ]);

  // The prefix only identifies the source. A cursor with a damaged prefix is not treated as a
  // cursor of the archive.
  const read = damaged.filter(
    (cursor) => isArchiveCursor(cursor) && placeFromCursor(cursor, 'zombies'),
  );

  expect(read).toEqual([]);
});

it.each([
  ['no JSON', 'nonsense'],
  ['no list', '{}'],
  ['a list of other things', '[1,2,3,4]'],
  ['a page before the second', JSON.stringify(['1', 1, 25, 'x'])],
])('rejects a cursor that contains %s', (_what, text) => {
  expect(
    placeFromCursor(`fw1.${Buffer.from(text).toString('base64url')}`, 'zombies'),
  ).toBeUndefined();
});
