import type { Fact, Forecast } from './facts.ts';

/**
 * What is asked to a rule that waits until outliers are confirmed. A floor at most 70 % of the one
 * before, or of which that is at most 70 %, is none, unless another provider has confirmed it; the
 * floor after it always is one.
 */
export function withoutOutliers(facts: readonly Fact[]): readonly Fact[] {
  const { waits, secrets } = judge(facts);
  return facts
    .filter((fact) => waits.get(fact) !== true)
    .map((fact) => {
      const secret = secrets.get(fact);
      return secret === undefined ? judged(fact) : { ...judged(fact), secret: judged(secret) };
    });

  function judged(fact: Fact): Fact {
    const hadToWait = waits.get(fact);
    return hadToWait === undefined ? fact : { ...fact, hadToWait };
  }
}

/** Whether each floor had to wait for the next; of those that ended the wait of another, of which. */
export function judge(facts: readonly Fact[]) {
  const secrets = new Map<Fact, Fact>();
  const waits = new Map<Fact, boolean>();
  let before: Fact | undefined;
  let base: Fact | undefined;
  let standing: Fact | undefined;
  for (const floor of facts.filter(({ part }) => part === 'floor')) {
    const isOfSameTime = before?.time === floor.time;
    // What is reported otherwise is held against the time before, as it was at first.
    if (!isOfSameTime) base = standing === undefined ? before : undefined;
    const isAgain = isOfSameTime && !isRevised(floor, before);
    const isLonely = !isAgain && base !== undefined && areFarApart(floor, base);
    const isOutlier = isLonely && !floor.isConfirmed;
    const isOfSameMoney = before?.currency === floor.currency;
    if (isOutlier || isOfSameMoney || floor.isConfirmed) waits.set(floor, isOutlier);
    if (!isOutlier && standing !== undefined && before !== undefined) secrets.set(floor, before);
    standing = isOutlier ? (standing ?? before) : undefined;
    before = floor;
  }
  return { waits, secrets };
}

/** What is known of floors once those that were no prices are seen for what they are. */
export type Steady = {
  /** The past with the outliers that were confirmed, and without those that were not. */
  readonly past: readonly Fact[];
  /** The times of those that were not. */
  readonly glitches: ReadonlySet<number>;
  /** By the times of those that were: those of the ones with which they came to be known. */
  readonly knownFrom: ReadonlyMap<number, number>;
};

/** Of a rule that takes outliers none is seen for what it is. */
export const NOTHING_FAR: Omit<Steady, 'past'> = { glitches: new Set(), knownFrom: new Map() };

/** What is known in the light of all that was reported. */
export function steadied(facts: readonly Fact[], forecast: Forecast): Steady {
  const { past, upTo, since, isRecordedLate = false } = forecast;
  const floors = facts.filter(({ part, number }) => part === 'floor' && number <= upTo);
  // What was reported otherwise again has never held.
  const times = new Set(floors.map(({ time }) => time));
  const secrets = floors.flatMap(({ secret }) =>
    secret === undefined || times.has(secret.time) ? [] : [{ ...secret, number: 0, poll: 0 }],
  );
  // A worker that reads nothing of the past knows of none.
  if (past.length === 0) return { past, ...NOTHING_FAR };
  // A floor is what was recorded last of its time, also one that was held back when it came.
  const inOrder = isRecordedLate ? [...past, ...secrets] : [...secrets, ...past];
  const recorded = new Map(inOrder.map((fact) => [fact.time, fact]));
  // What is older than the newest is as it was recorded last.
  const newest = floors.at(-1)?.time ?? 0;
  const isCorrected = ({ time }: Fact) => !isRecordedLate && time < newest && recorded.has(time);
  const observed = floors.filter((fact) => !isCorrected(fact));
  const reported = new Map([...recorded.values(), ...observed].map((fact) => [fact.time, fact]));
  const series = [...reported.values()].toSorted((left, right) => left.time - right.time);
  // Between what was known before a gap and after it anything may have been reported.
  const afterGap = series.find(({ time }) => since !== undefined && time >= since);
  const glitches = new Set<number>();
  const knownFrom = new Map<number, number>();
  let isAfterOutlier = false;
  for (const [index, fact] of series.entries()) {
    const [last, next] = [series[index - 1], series[index + 1]];
    // Of what came by itself it was decided then; of what was fetched later, by what is before it.
    const isLonely: boolean =
      fact !== afterGap && !isAfterOutlier && last !== undefined && areFarApart(fact, last);
    const isOutlier: boolean = fact.hadToWait ?? isLonely;
    isAfterOutlier = isOutlier;
    if (!isOutlier || last === undefined || next === undefined) continue;
    if (areFarApart(fact, last) && isNearer(next, last, fact)) glitches.add(fact.time);
    else knownFrom.set(fact.time, next.time);
  }
  const steady = [...recorded.values()]
    .filter(({ time }) => !glitches.has(time))
    .map((fact) => ({ ...fact, knownFrom: knownFrom.get(fact.time) ?? fact.time }));
  return { past: steady, glitches, knownFrom };
}

/**
 * What was reported, without the glitches that had been taken for prices: reported in other money
 * first, or before anything was known of what came before them. What is evaluated now is still held
 * against them.
 */
export function withoutOldGlitches(
  facts: readonly Fact[],
  glitches: ReadonlySet<number>,
  evaluated: number,
): readonly Fact[] {
  const floors = facts.filter(({ part }) => part === 'floor');
  const firstNews = floors.find(({ number }) => number > evaluated) ?? floors.at(-1);
  const before = floors.findLast(({ number }) => number < (firstNews?.number ?? 0));
  const isOld = ({ part, number, time }: Fact) =>
    part === 'floor' && number < (before?.number ?? 0) && glitches.has(time);
  return facts.filter((fact) => !isOld(fact));
}

function areFarApart(left: Fact, right: Fact): boolean {
  if (left.currency !== right.currency) return false;
  const [low = 0n, high = 0n] = [left.price ?? 0n, right.price ?? 0n].toSorted((a, b) =>
    a < b ? -1 : 1,
  );
  return low * 10n <= high * 7n;
}

function isNearer(fact: Fact, one: Fact, other: Fact): boolean {
  if (new Set([fact, one, other].map(({ currency }) => currency)).size > 1) return false;
  const away = ({ price = 0n }: Fact) => {
    const distance = (fact.price ?? 0n) - price;
    return distance < 0n ? -distance : distance;
  };
  return away(one) < away(other);
}

/** Of the moment of another fact, and not the same. */
function isRevised(fact: Fact, before: Fact | undefined): boolean {
  const { time, price, currency, usd } = fact;
  if (before?.time !== time) return false;
  return price !== before.price || currency !== before.currency || usd !== before.usd;
}
