import { type Fact, newestOf } from './facts.ts';
import type { OracleClause } from './rule.ts';

/** A metric at a moment: nothing where it is not known, and never a number where nothing was sold. */
export type Value = bigint | 'nothing sold' | undefined;

const HUNDRED_PERCENT = 100n * 10n ** 18n;

/** What a metric of prices was at a moment, by what was known then, in the order of time. */
export function valueAt(clause: OracleClause, known: readonly Fact[], time: number): Value {
  const { kind, unit, window, parts } = clause;
  const [part = '', other = ''] = parts;
  const now = priceIn(unit, newestOf(part, known));
  if (kind === 'price') return part === 'floor' ? now : unlessIgnored(now, clause, 0n);
  if (typeof now !== 'bigint') return undefined;
  if (kind === 'discount') {
    const sale = unlessIgnored(priceIn(unit, newestOf(other, known)), clause, now);
    return typeof sale === 'bigint' ? share(now - sale, now) : sale;
  }
  const floors = withoutRevised(known.filter((fact) => fact.part === part));
  const start = floors.findLastIndex((fact) => fact.time <= time - window);
  // What held before a gap may have ended anywhere in it.
  const hasHeld = floors[start + 1]?.isAfterGap !== true;
  if (kind === 'change' || kind === 'drop') {
    const then = hasHeld ? priceIn(unit, floors[start]) : undefined;
    if (typeof then !== 'bigint') return undefined;
    return kind === 'change' ? share(now - then, then) : share(then - now, then);
  }
  const prices = floors
    .slice(Math.max(0, hasHeld ? start : start + 1))
    .map((fact) => priceIn(unit, fact))
    .filter((price) => typeof price === 'bigint');
  const sorted = [...prices, now].toSorted((left, right) => (left < right ? -1 : 1));
  const [lowest = now, highest = now] = [sorted[0], sorted.at(-1)];
  if (kind === 'drawdown') return share(highest - now, highest);
  if (kind === 'runup') return share(now - lowest, lowest);
  throw new Error(`the oracle cannot work out ${kind} from prices`);
}

/** A lowest sale that is as low as dust reports no price: neither its own nor that of the next. */
function unlessIgnored(sale: Value, { ignoreBelow }: OracleClause, floor: bigint): Value {
  const least = typeof ignoreBelow === 'bigint' ? ignoreBelow : floor / 100n;
  return typeof sale === 'bigint' && sale < least ? undefined : sale;
}

/** Whether a fact reports a clause another price than the one that was reported before it. */
export function isAnother(clause: OracleClause, fact: Fact, before: Fact | undefined): boolean {
  return priceIn(clause.unit, fact) !== priceIn(clause.unit, before);
}

/** What was revised has never held. */
function withoutRevised(facts: readonly Fact[]): readonly Fact[] {
  return facts.filter((fact, index) => facts[index + 1]?.time !== fact.time);
}

function priceIn(unit: string, fact: Fact | undefined): Value {
  if (fact === undefined) return undefined;
  if (fact.price === undefined) return 'nothing sold';
  if (unit === 'usd') return fact.usd;
  return fact.currency === unit ? fact.price : undefined;
}

/** A share in percent; what is finer than the 18th decimal is cut. */
function share(part: bigint, whole: bigint): bigint {
  return (part * HUNDRED_PERCENT) / whole;
}

/**
 * The value furthest beyond that a limit has seen between two moments, and what was reported of it.
 */
export function furthest(
  clause: OracleClause,
  all: readonly Fact[],
  { from, to }: { readonly from: number; readonly to: number },
  lastReported: bigint | undefined,
): bigint | undefined {
  const moments = all
    .flatMap(({ time }) => [time, time + clause.window])
    .filter((moment) => moment >= from && moment <= to);
  const values = moments.map((moment) =>
    valueAt(
      clause,
      all.filter(({ time }) => time <= moment),
      moment,
    ),
  );
  const seen = [lastReported, ...values].filter((value) => typeof value === 'bigint');
  const sorted = seen.toSorted((left, right) => (left < right ? -1 : 1));
  return clause.when === 'below' ? sorted[0] : sorted.at(-1);
}
