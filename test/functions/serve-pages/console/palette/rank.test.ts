import { expect, it } from 'vitest';
import { rank } from '#console/palette/rank.ts';

const aThing = (title: string, ...also: readonly string[]) => ({ title, also });
const found = (query: string, ...things: readonly ReturnType<typeof aThing>[]) =>
  rank(query, things).map(({ title }) => title);

it('the ranking prefers the start of a title to the start of a word, its middle, and initials', () => {
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

it('the ranking prefers a title to another matching text', () => {
  expect(found('desk', aThing('Whales', 'desk'), aThing('Desk'))).toEqual(['Desk', 'Whales']);
});

it('the search finds each word of a query, in any order and in any text', () => {
  const mute = aThing('Mute everything for 1 h', 'mute all');

  expect(found('all mute', mute, aThing('Mute one'))).toEqual([mute.title]);
});

it('the ranking prefers a title that begins with all words to a title with separate words', () => {
  expect(found('new rule', aThing('Rule of the new list'), aThing('New rule on Apes'))).toEqual([
    ...['New rule on Apes', 'Rule of the new list'],
  ]);
});

it.each([
  { query: 'mapes', title: 'Moonlit Apes' },
  { query: 'gp', title: 'Granite Punks' },
  { query: 'nrap', title: 'New rule on Apes' },
])('the search finds "$title" by the beginnings of its words: $query', ({ query, title }) => {
  expect(found(query, aThing(title))).toEqual([title]);
});

it('the search does not find scattered letters within words', () => {
  expect(found('rob', aThing('Granite Punks: floor below 3'))).toEqual([]);
});

it('the search ignores case and accents', () => {
  expect(found('CAFE', aThing('Café'))).toEqual(['Café']);
});

it('the ranking keeps the order of equal results, and shows everything for an empty query', () => {
  expect(found(' ', aThing('b'), aThing('a'))).toEqual(['b', 'a']);
});

it('the search reads special characters literally', () => {
  expect(found('a.c', aThing('abc'), aThing('a.c'))).toEqual(['a.c']);
});

it('the ranking of a long query against repeated words is fast', () => {
  const begun = performance.now();

  expect(found(`${'a'.repeat(99)}b`, aThing('aa '.repeat(40)))).toEqual([]);
  expect(performance.now() - begun).toBeLessThan(200);
});
