import { expect, it } from 'vitest';
import { createSortedTexts } from '#infra/local/sorted-texts.ts';
import { createSeededRandom } from '#test/support/seeded-random.ts';

it.each([1, 2, 3])(
  'sorted texts have the same elements as a sorted set after 10,000 changes (seed %i)',
  (seed) => {
    const random = createSeededRandom(seed);
    const aText = () => String(random.below(4000));
    const texts = createSortedTexts();
    const plain = new Set<string>();

    for (let change = 0; change < 10_000; change += 1) {
      const text = aText();
      const adds = random.below(3) > 0;
      texts[adds ? 'add' : 'remove'](text);
      plain[adds ? 'add' : 'delete'](text);
    }

    for (let question = 0; question < 50; question += 1) {
      const [from, to] = [aText(), aText()];
      const expected = [...plain].filter((text) => text >= from && text <= to).toSorted();
      expect([...texts.between(from, to)]).toEqual(expected);
      expect([...texts.between(from, to, true)]).toEqual(expected.toReversed());
    }
  },
);

it('no sorted texts are left after all were removed', () => {
  const texts = createSortedTexts();
  const all = Array.from({ length: 3000 }, (_, number) => String(number));
  for (const text of all) texts.add(text);

  for (const text of all) texts.remove(text);

  expect([...texts.between('', '\uffff')]).toEqual([]);
});
