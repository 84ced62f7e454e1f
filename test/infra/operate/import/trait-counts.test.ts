import { expect, it } from 'vitest';
import { createTraitCounts } from '#infra/operate/import/trait-counts.ts';
import { type Trait, traitKey } from '#shared/domain/archive/token.ts';
import { aToken } from '#test/support/archive.ts';
import { APES, PUNKS } from '#test/support/builders.ts';

const CAP: Trait = ['hat', 'cap'];
const CROWN: Trait = ['hat', 'crown'];

it('counts the tokens of a contract that have a trait, once each', () => {
  const { add, counts } = createTraitCounts();

  for (const id of [1, 2, 3]) add(aToken(id, [CAP, CAP]));
  add({ ...aToken(4, [CAP]), contract: APES });
  add({ ...aToken(5, [CAP]), contract: APES });

  expect(counts()).toEqual([
    { contract: PUNKS, trait: traitKey(CAP), count: 3 },
    { contract: APES, trait: traitKey(CAP), count: 2 },
  ]);
});

it('leaves out what a single token has: it is rare without a count', () => {
  const { add, counts } = createTraitCounts();

  add(aToken(1, [CAP, CROWN]));
  add(aToken(2, [CAP]));

  expect(counts().map(({ trait }) => trait)).toEqual([traitKey(CAP)]);
});

it('forgets the rarest where there are too many, and never what is common', () => {
  const { add, counts } = createTraitCounts(100);

  for (let id = 0; id < 5000; id += 1) add(aToken(id, [CAP, ['number', `${id}`]]));

  expect(counts()).toEqual([{ contract: PUNKS, trait: traitKey(CAP), count: 5000 }]);
});
