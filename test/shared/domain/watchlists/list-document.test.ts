import { describe, expect, it } from 'vitest';
import { differencesBetween } from '#shared/domain/watchlists/list-document.ts';

const list = (members: object) => ({
  name: 'Punks',
  contracts: [],
  rules: [],
  channels: [],
  ...members,
});
const changesIn = (before: object | undefined, after: object | undefined) =>
  differencesBetween(before && list(before), after && list(after)).flatMap(
    ({ part, name, how, members }) => [
      `${how} ${part} ${name ?? ''}`.trim(),
      ...members.map(({ member, before: was, after: is }) => `${member}: ${was} → ${is}`),
    ],
  );

describe('the differences between two versions of a list', () => {
  it.each([
    {
      what: 'no difference if only the order changed',
      before: { rules: [{ id: 'a' }, { id: 'b' }], channels: ['desk', 'room'] },
      after: { rules: [{ id: 'b' }, { id: 'a' }], channels: ['room', 'desk'] },
      differs: [],
    },
    {
      what: 'each element by its identifier',
      before: { contracts: [{ contract: 'eth:0x1' }], rules: [{ id: 'a', threshold: '9' }] },
      after: {
        contracts: [{ contract: 'eth:0x2', name: 'Two' }],
        rules: [{ id: 'a', threshold: '8' }],
      },
      differs: [
        ...['added contract eth:0x2', 'name: null → Two', 'changed rule a', 'threshold: 9 → 8'],
        'removed contract eth:0x1',
      ],
    },
    {
      what: 'a contact point that replaces a channel with the same name',
      before: { channels: [{ id: 'desk', kind: 'email', to: 'a@example.com' }] },
      after: { channels: ['desk'] },
      differs: ['changed channel desk', 'kind: email → null', 'to: a@example.com → null'],
    },
    {
      what: 'any value in words',
      before: { rules: [{ id: 'a', noData: 'keep', on: '*', enabled: true, notify: [] }] },
      after: {
        rules: [
          { id: 'a', noData: { alert: '6h' }, on: ['x', 'y'], enabled: false, notify: ['z'] },
        ],
      },
      differs: [
        ...['changed rule a', 'noData: keep → alert 6h', 'on: * → x, y'],
        ...['enabled: true → false', 'notify: none → z'],
      ],
    },
  ])('the differences between two versions of a list show $what', ({ before, after, differs }) => {
    expect(changesIn(before, after)).toEqual(differs);
  });

  it('shows the whole list when it is created or deleted', () => {
    expect(changesIn(undefined, { wallet: '0x1' })).toEqual([
      ...['added list', 'name: null → Punks', 'wallet: null → 0x1'],
    ]);
    expect(changesIn({}, undefined)).toEqual(['removed list', 'name: Punks → null']);
    expect(changesIn(undefined, undefined)).toEqual([]);
  });
});
