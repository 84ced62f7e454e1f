import { expect, it } from 'vitest';
import { cursorTo, isArchiveCursor, placeOf } from '#shared/domain/archive/place.ts';

const PLACE = { after: '4711', page: 2, limit: 25 };
const CURSOR = cursorTo(PLACE, 'zombies');

it('leads back to its place, for its question alone', () => {
  expect(placeOf(CURSOR, 'zombies')).toEqual(PLACE);
  expect(placeOf(CURSOR, 'apes')).toBeUndefined();
});

it('is distinguished from the cursors of others', () => {
  expect(isArchiveCursor(CURSOR)).toBe(true);
  expect(['', 'eyJhbGciOiJIUzI1NiJ9', 'fw1'].map(isArchiveCursor)).toEqual([false, false, false]);
});

it('needs no escaping in an address', () => {
  expect(encodeURIComponent(cursorTo({ ...PLACE, after: '\u{1f435}?&=/+' }, ''))).toMatch(
    /^[\w.-]+$/,
  );
});

it('leads nowhere when anything of it is cut, changed or added', () => {
  const damaged = [...CURSOR].flatMap((notification, index) => [
    CURSOR.slice(0, index),
    CURSOR.slice(0, index) + (notification === 'A' ? 'B' : 'A') + CURSOR.slice(index + 1),
    `${CURSOR.slice(0, index)}A${CURSOR.slice(index)}`,
    `${CURSOR}${'=! \n'[index % 4]}`,
  ]);

  // What it begins with says whose it is, and is not read again.
  const read = damaged.filter((cursor) => isArchiveCursor(cursor) && placeOf(cursor, 'zombies'));

  expect(read).toEqual([]);
});

it.each([
  ['no JSON', 'nonsense'],
  ['no list', '{}'],
  ['a list of other things', '[1,2,3,4]'],
  ['a page before the second', JSON.stringify(['1', 1, 25, 'x'])],
])('leads nowhere when it holds %s', (_what, text) => {
  expect(placeOf(`fw1.${Buffer.from(text).toString('base64url')}`, 'zombies')).toBeUndefined();
});
