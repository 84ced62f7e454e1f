import { expect, it } from 'vitest';
import {
  asObserved,
  isUnobservedAt,
  knownAsOf,
  knownBefore,
  knownOf,
  type Snapshot,
  steadied,
} from '#shared/domain/evaluation/snapshot.ts';
import { MINUTE } from '#shared/domain/market/instant.ts';
import type { Observation, Part, PricePoint } from '#shared/domain/market/point.ts';
import { aPrice, NOON } from '#test/support/builders.ts';

const price = (minute: number): PricePoint => aPrice('60', { time: NOON + minute * MINUTE });
const observed = (
  seq: number,
  minute: number,
  part: Part = 'floor',
  was?: number,
): Observation => ({
  seq,
  poll: seq,
  part,
  point: price(minute),
  ...(was === undefined ? {} : { previous: price(was) }),
});

/** Minutes 0, 20 and 40 are observed; of the others one answer reported more than is evaluated. */
const first = observed(2, 20, 'floor', 0);
const last = observed(3, 40, 'floor', 20);
const sale = observed(4, 10, 'lowest.7d');
const snapshot = (since?: number): Snapshot => ({
  parts: {
    floor: {
      newest: last,
      unevaluated: [first, last],
      answeredAt: NOON + 41 * MINUTE,
      recorded: [-10, 0, 10, 15, 20, 30, 40].map(price),
      since: since === undefined ? undefined : NOON + since * MINUTE,
    },
    'lowest.7d': { newest: sale, unevaluated: [sale], answeredAt: NOON + 41 * MINUTE },
  },
});

const floorsOf = (known: ReturnType<typeof knownOf>) =>
  (known.get('floor') ?? []).map((point) => {
    const isAfterGap = point.kind === 'price' && point.isAfterGap === true;
    return `${isAfterGap ? 'gap ' : ''}${(point.time - NOON) / MINUTE}`;
  });

it('knows what was only recorded between observations', () => {
  const floors = floorsOf(knownOf(snapshot(), ['floor']));

  expect(floors).toEqual(['-10', '0', '10', '15', '20', '30', '40']);
});

it('holds news against what they were compared with, though it turns out to have been a glitch', () => {
  const at = (minute: number, price: string) => aPrice(price, { time: NOON + minute * MINUTE });
  const recorded = [at(0, '57'), at(1, '115'), at(2, '53'), at(3, '52')] as const;
  const [, stood, previous, point] = recorded;
  const newest = { seq: 3, poll: 3, part: 'floor', point, previous, stood } as const;
  const reported = { newest, unevaluated: [newest], answeredAt: NOON + 4 * MINUTE, recorded };
  const moment = { observation: newest, completesPoll: true, from: point.time };

  const compared = asObserved(steadied({ parts: { floor: reported } }));
  const before = knownBefore(compared, ['floor'], moment);

  expect(before.get('floor')?.at(-1)).toEqual(stood);
});

it('knows of sales what was observed: what is recorded between is of a time without a watch', () => {
  const part = 'lowest.1d';
  const next = observed(3, 40, part, 0);
  const known = { newest: next, unevaluated: [next], answeredAt: NOON + 41 * MINUTE };
  const recorded = [-10, 0, 20, 40].map(price);

  const sales = knownOf({ parts: { [part]: { ...known, recorded } } }, [part]).get(part);

  expect(sales).toEqual([-10, 0, 40].map(price));
});

it.each([
  ['an observation', knownAsOf(snapshot(), ['floor'], first), ['-10', '0', '10', '15', '20']],
  [
    'that which comes before it',
    knownBefore(snapshot(), ['floor'], {
      observation: first,
      completesPoll: false,
      from: first.point.time,
    }),
    ['-10', '0', '10', '15'],
  ],
  ['news of another part', knownAsOf(snapshot(), ['floor', 'lowest.7d'], sale), ['-10', '0', '10']],
])('knows it by its time: of %s', (_, known, floors) => {
  expect(floorsOf(known)).toEqual(floors);
});

it('marks the first since when none is missing', () => {
  const marked = [-10, 12, 30, 50].map((since) => floorsOf(knownOf(snapshot(since), ['floor'])));

  expect(marked).toEqual([
    ['gap -10', '0', '10', '15', '20', '30', '40'],
    ['-10', '0', '10', 'gap 15', '20', '30', '40'],
    ['-10', '0', '10', '15', '20', 'gap 30', '40'],
    ['-10', '0', '10', '15', '20', '30', '40'],
  ]);
});

it.each([
  [5, false],
  [10, true],
  [19, true],
  [20, false],
  [35, true],
  [40, false],
])(
  'says whether what held %i minutes after noon was never observed: %s',
  (minute, isUnobserved) => {
    expect(isUnobservedAt(snapshot(), ['floor'], NOON + minute * MINUTE)).toBe(isUnobserved);
  },
);
