import { expect, it } from 'vitest';
import { findBands, type Line, linesOffScale } from '#console/collection/lines.ts';
import { shortRuleName } from '#console/words/rule-name.ts';

const aLine = (id: string, price: string, kind: Line['kind'] = 'threshold'): Line => ({
  ...{ id, price, kind, rule: 'dip', title: 'Dip' },
});

it('lines outside of the scale are reported with their side (above or below), the nearest first', () => {
  const lines = ['90', '130', '105', '20', '140'].map((price) => aLine(price, price));

  const far = linesOffScale(lines, (price) => 120 - price, 50);

  expect(far.map(({ line, side }) => [line.id, side])).toEqual([
    ['130', 'above'],
    ['140', 'above'],
    ['20', 'below'],
  ]);
});

it('no line is outside of a chart without a scale', () => {
  expect(linesOffScale([aLine('one', '90')], () => null, 50)).toEqual([]);
});

it('the low and the high line of a rule are the edges of a band', () => {
  const other = { ...aLine('other', '9', 'high'), rule: 'other' };

  expect(findBands([other, aLine('low', '55', 'low'), aLine('high', '65', 'high')])).toEqual([
    { low: 55, high: 65 },
  ]);
});

it('the name of a rule on the chart leaves out the name of the collection', () => {
  expect(shortRuleName('Apes: dip', 'Apes')).toBe('dip');
  expect(shortRuleName('Dip of Apes', 'Apes')).toBe('Dip of Apes');
});
