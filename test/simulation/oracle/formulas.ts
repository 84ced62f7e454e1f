import type { FamilyName } from '#shared/domain/metrics/metric.ts';
import type { View } from '#test/simulation/invariants/contract-invariants.ts';
import { type Fact, newestOf } from './facts.ts';
import type { OracleClause } from './rule.ts';

/** A metric at a moment: nothing where it is not known, and never a number where nothing was sold. */
export type Value = bigint | 'nothing sold' | undefined;

/** The metrics of a family, as the documentation defines them. */
export type Formula = {
  /** What it is read from; messages name the price of the first. */
  readonly parts: readonly ('floor' | 'sales')[];
  /** The unit of its prices, where a rule has no choice. */
  readonly unit?: 'usd';
  /** How long a rule must have recovered that does not say it. */
  readonly keepFor?: string;
} & (
  | { readonly of: 'price' | 'share'; readonly value: (asked: Asked) => Value }
  | { readonly of: 'clock'; readonly countsFrom: (seen: Seen) => number | undefined }
);

/** A clause, and what was known at a moment, in the order of time. */
type Asked = {
  readonly clause: OracleClause;
  readonly known: readonly Fact[];
  readonly time: number;
};

/** What was known of a part at a moment, and how its questions were answered. */
type Seen = {
  readonly part: string;
  readonly known: readonly Fact[];
  readonly view: View | undefined;
  readonly now: number;
};

const ofFloor = { of: 'price', parts: ['floor'], value: floorOf } as const;
/** Shares have an hour. */
const ofShare = { of: 'share', parts: ['floor'], keepFor: '1h' } as const;

export const FORMULAS: Readonly<Record<FamilyName, Formula>> = {
  floor_price: ofFloor,
  floor_price_usd: { ...ofFloor, unit: 'usd' },
  lowest_price: {
    ...{ of: 'price', parts: ['sales'] },
    value: ({ clause, known }) => saleOf(clause, known, 0n),
  },
  sale_discount_pct: {
    ...{ ...ofShare, parts: ['floor', 'sales'] },
    value: (asked) =>
      ifKnown(floorOf(asked), (floor) => {
        const sale = saleOf(asked.clause, asked.known, floor);
        return typeof sale === 'bigint' ? share(floor - sale, floor) : sale;
      }),
  },
  floor_change_pct: {
    ...ofShare,
    value: (asked) => sinceStart(asked, (now, then) => share(now - then, then)),
  },
  floor_drop_pct: {
    ...ofShare,
    value: (asked) => sinceStart(asked, (now, then) => share(then - now, then)),
  },
  floor_drawdown_pct: {
    ...ofShare,
    value: (asked) =>
      ifKnown(floorOf(asked), (now) => {
        const highest = pricesHeld(asked).reduce((high, one) => (one > high ? one : high), now);
        return share(highest - now, highest);
      }),
  },
  floor_runup_pct: {
    ...ofShare,
    value: (asked) =>
      ifKnown(floorOf(asked), (now) => {
        const lowest = pricesHeld(asked).reduce((low, one) => (one < low ? one : low), now);
        return share(now - lowest, lowest);
      }),
  },
  data_age_minutes: {
    ...{ of: 'clock', parts: ['floor'] },
    countsFrom: ({ part, known }) => newestOf(part, known)?.time,
  },
  silence_minutes: {
    ...{ of: 'clock', parts: ['sales'] },
    countsFrom: ({ part, view, now }) =>
      view?.silent[part] ?? (view?.answered[part] === undefined ? undefined : now),
  },
};

function priceIn(unit: string, fact: Fact | undefined): Value {
  if (fact === undefined) return undefined;
  if (fact.price === undefined) return 'nothing sold';
  if (unit === 'usd') return fact.usd;
  return fact.currency === unit ? fact.price : undefined;
}

/** What a fact is to a clause: of floors, some rules go by those alone that a second provider vouched for. */
export function priceFor(clause: OracleClause, fact: Fact | undefined): Value {
  const isUnheard = clause.needsTwo && fact?.part === 'floor' && fact.isConfirmed !== true;
  return isUnheard ? undefined : priceIn(clause.unit, fact);
}

/** The newest floor. */
function floorOf({ clause, known }: Asked): Value {
  return priceFor(clause, newestOf('floor', known));
}

/** A lowest sale that is as low as dust reports no price: neither its own nor that of the next. */
function saleOf({ unit, parts, ignoreBelow }: OracleClause, known: readonly Fact[], floor: bigint) {
  const sale = priceIn(unit, newestOf(parts.at(-1) ?? '', known));
  const least = typeof ignoreBelow === 'bigint' ? ignoreBelow : floor / 100n;
  return typeof sale === 'bigint' && sale < least ? undefined : sale;
}

/** The floor, and the one that held when the window began. */
function sinceStart(asked: Asked, change: (now: bigint, then: bigint) => bigint): Value {
  return ifKnown(floorOf(asked), (now) => {
    const { floors, isWhole } = floorsHeld(asked);
    const then = isWhole ? priceFor(asked.clause, floors[0]) : undefined;
    return ifKnown(then, (price) => change(now, price));
  });
}

function pricesHeld(asked: Asked): readonly bigint[] {
  return floorsHeld(asked)
    .floors.map((fact) => priceFor(asked.clause, fact))
    .filter((price) => typeof price === 'bigint');
}

/** The floors that held in a window, and whether one is known to have held when it began. */
function floorsHeld({ clause, known, time }: Asked) {
  const floors = withoutRevised(known.filter(({ part }) => part === 'floor'));
  const start = floors.findLastIndex((fact) => fact.time <= time - clause.window);
  // What held before a gap may have ended anywhere in it.
  const isWhole = start >= 0 && floors[start + 1]?.isAfterGap !== true;
  return { floors: floors.slice(isWhole ? start : start + 1), isWhole };
}

/** What was revised has never held. */
function withoutRevised(facts: readonly Fact[]): readonly Fact[] {
  return facts.filter((fact, index) => facts[index + 1]?.time !== fact.time);
}

function ifKnown(price: Value, of: (price: bigint) => Value): Value {
  return typeof price === 'bigint' ? of(price) : undefined;
}

/** A share in percent; what is finer than the 18th decimal is cut. */
function share(part: bigint, whole: bigint): bigint {
  return (part * 100n * 10n ** 18n) / whole;
}
