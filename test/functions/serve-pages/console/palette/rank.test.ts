import { expect, it } from 'vitest';
import { rank } from '#console/palette/rank.ts';

const aThing = (title: string, ...also: readonly string[]) => ({ title, also });
const found = (query: string, ...things: readonly ReturnType<typeof aThing>[]) =>
  rank(query, things).map(({ title }) => title);

it('ranks the start of a title before the start of a word, its middle, and beginnings of words', () => {
  const things = [
    aThing('Meta Apes'),
    aThing('Grapes'),
    aThing('Moonlit Apes'),
    aThing('Apes of mine'),
    aThing('A pessimist'),
  ];

  expect(found('apes', ...things)).toEqual([
    ...['Apes of mine', 'Meta Apes', 'Moonlit Apes', 'Grapes', 'A pessimist'],
  ]);
});

it('ranks a title before another text that matches as well', () => {
  expect(found('desk', aThing('Whales', 'desk'), aThing('Desk'))).toEqual(['Desk', 'Whales']);
});

it('finds each word of a query, in any order and in any text', () => {
  const mute = aThing('Mute everything for 1 h', 'mute all');

  expect(found('all mute', mute, aThing('Mute one'))).toEqual([mute.title]);
});

it('prefers a title that begins with all words to one that has them apart', () => {
  expect(found('new rule', aThing('Rule of the new list'), aThing('New rule on Apes'))).toEqual([
    ...['New rule on Apes', 'Rule of the new list'],
  ]);
});

it.each([
  { query: 'mapes', title: 'Moonlit Apes' },
  { query: 'gp', title: 'Granite Punks' },
  { query: 'nrap', title: 'New rule on Apes' },
])('finds "$title" by the beginnings of its words: $query', ({ query, title }) => {
  expect(found(query, aThing(title))).toEqual([title]);
});

it('does not find scattered letters within words', () => {
  expect(found('rob', aThing('Granite Punks: floor below 3'))).toEqual([]);
});

it('ignores case and accents', () => {
  expect(found('CAFE', aThing('Café'))).toEqual(['Café']);
});

it('keeps the order of equals, and shows everything for an empty query', () => {
  expect(found(' ', aThing('b'), aThing('a'))).toEqual(['b', 'a']);
});

it('reads special characters literally', () => {
  expect(found('a.c', aThing('abc'), aThing('a.c'))).toEqual(['a.c']);
});

it('ranks a long query against repeated words in a moment', () => {
  const begun = performance.now();

  expect(found(`${'a'.repeat(99)}b`, aThing('aa '.repeat(40)))).toEqual([]);
  expect(performance.now() - begun).toBeLessThan(200);
});
