import { createSeededRandom, type SeededRandom } from '#test/support/seeded-random.ts';
import { type RandomRule, randomRule } from './random-rule.ts';

/** A floor as a provider reports it. Times in this file are in minutes, prices are decimals. */
export type HistoricFloor = {
  readonly time: number;
  readonly value: string;
  readonly usd: string | null;
  /** Whether a second source reports the floor, too. */
  readonly agreed: boolean;
};

export type HistoricSale = {
  readonly time: number;
  readonly value: string;
  readonly traded: number | null;
};

export type HistoricPoll = {
  readonly now: number;
  readonly answered: boolean;
  readonly floors: readonly HistoricFloor[];
  /** The lowest sales, by the number of days of their window. */
  readonly sales: Readonly<Record<string, HistoricSale>>;
  /** Whether a timer of another watch is due. */
  readonly otherTimer: boolean;
};

/** A rule, the creation time of its watch, and the polls of its contract. */
export type History = {
  readonly seed: number;
  readonly rule: RandomRule;
  readonly made: number;
  readonly polls: readonly HistoricPoll[];
};

/** A floor with all reports about its time. */
type MarketFloor = {
  readonly time: number;
  readonly visibleFrom: number;
  readonly agreedFrom: number;
  readonly reports: readonly Report[];
};

type Report = { readonly from: number; readonly value: string; readonly usd: string | null };

/** The number of floors without an outlier at the start, so that the first poll has no suspect. */
const CALM = 8;
const FAR = [0.5, 0.69, 0.7, 0.71, 1.4, 10 / 7, 1.5, 2];
const NEVER = Number.POSITIVE_INFINITY;

/** Generates a hostile market history; the same seed gives the same one. */
export function randomHistory(seed: number): History {
  const random = createSeededRandom(seed);
  const rule = randomRule(random);
  const isLong = JSON.stringify(rule).includes('24h');
  const cadence = random.pick(isLong ? [30, 60, 90] : [1, 5, 5, 10, 10, 15, 30]);
  const times = pollTimes(random, cadence);
  const end = times.at(-1) ?? 0;
  const floors = marketFloors(random, { end, cadence });
  const begin = floors[CALM - 1]?.time ?? 0;
  return {
    ...{ seed, rule },
    made: begin + random.below(6 * cadence),
    polls: pollAll(
      random,
      times.map((time) => begin + time),
      floors,
    ),
  };
}

/** Poll times at a cadence, with outages of hours and delays. */
function pollTimes(random: SeededRandom, cadence: number): readonly number[] {
  let time = 0;
  return Array.from({ length: 30 + random.below(20) }, () => {
    const isGap = random.below(20) === 0;
    const delay = random.pick([0, 0, 0, 0.5, 1, 3]);
    time += (isGap ? cadence * (5 + random.below(25)) : cadence) + delay;
    return time;
  });
}

function marketFloors(
  random: SeededRandom,
  { end, cadence }: { readonly end: number; readonly cadence: number },
): readonly MarketFloor[] {
  const floors: MarketFloor[] = [];
  const spacing = random.pick([cadence / 2, cadence, cadence * 2, cadence * 4]);
  const spread = random.pick([1, 2, 5, 8]);
  let level = 100;
  let time = 0;
  let burst = 0;
  let planned: number[] = [];
  let isDrying = false;
  while (time < end + CALM * spacing) {
    if (burst === 0 && random.below(120) === 0) burst = 60;
    burst = Math.max(0, burst - 1);
    const pause = nextPause(random, { isBurst: burst > 0, isDrying, spacing });
    time += Math.max(0.5, Math.round(pause * 2) / 2);
    const isCalm = floors.length < CALM;
    level = isCalm ? level + random.below(3) - 1 : nextLevel(random, level, spread);
    if (!isCalm && planned.length === 0) planned = surprises(random, level);
    isDrying = cadence >= 30 && planned.length > 0 && random.below(3) === 0;
    const tenths = planned.shift() ?? level;
    if (planned.length === 0 && random.below(3) === 0) level = Math.min(180, Math.max(50, tenths));
    floors.push(marketFloor(random, { time, tenths, cadence, isCalm }));
  }
  return floors;
}

/** After an outlier, a market may report nothing for more than a day. */
function nextPause(
  random: SeededRandom,
  {
    isBurst,
    isDrying,
    spacing,
  }: { readonly isBurst: boolean; readonly isDrying: boolean; readonly spacing: number },
): number {
  if (isDrying) return 24 * 60 + random.below(120);
  return isBurst ? 0.5 : spacing * random.pick([0.5, 1, 1, 2]);
}

/** A random walk that returns to the thresholds of the rules. */
function nextLevel(random: SeededRandom, level: number, spread: number): number {
  if (random.below(6) === 0) return level;
  const pull = Math.sign(100 - level) * (random.below(2) === 0 ? spread : 0);
  return level + random.below(2 * spread + 1) - spread + pull;
}

/**
 * Usually no prices; otherwise prices in tenths that start with an outlier: a glitch, a lasting
 * jump, or an outlier followed by a price whose ratio to both levels is the same.
 */
function surprises(random: SeededRandom, level: number): number[] {
  const far = Math.round(level * random.pick(FAR));
  switch (random.below(24)) {
    case 0:
      return [far];
    case 1:
      return [far, far + random.below(3) - 1, far];
    case 2:
      return [level * 4, level * 2];
    case 3:
      return [far, Math.round(far * random.pick(FAR)), far];
    case 4:
      return [far, level, far, level];
    default:
      return [];
  }
}

type Placed = {
  readonly time: number;
  readonly tenths: number;
  readonly cadence: number;
  readonly isCalm: boolean;
};

function marketFloor(random: SeededRandom, { time, tenths, cadence, isCalm }: Placed): MarketFloor {
  const isOther = !isCalm && random.below(25) === 0;
  const first = report(random, time, isOther ? undefined : tenths);
  const delay = random.pick([0, 0, 0, 0, 0, 0, 1, cadence * 3, -3, -10]);
  const visibleFrom = isCalm ? time : time + delay;
  const agreedFrom = random.pick([visibleFrom, time + cadence, time + cadence * 2, NEVER, NEVER]);
  if (isCalm || random.below(10) > 0) return { time, visibleFrom, agreedFrom, reports: [first] };
  const from = time + random.pick([1, 1, 2, 5]) * cadence;
  return { time, visibleFrom, agreedFrom, reports: [first, revise(random, first, from, tenths)] };
}

function report(random: SeededRandom, from: number, tenths: number | undefined): Report {
  if (tenths === undefined) return { from, value: 'other_currency', usd: null };
  const value = decimal(tenths);
  return { from, value, usd: random.below(20) === 0 ? null : dollars(random, value) };
}

function revise(random: SeededRandom, before: Report, from: number, tenths: number): Report {
  const isPriced = before.value !== 'other_currency';
  switch (random.below(5)) {
    case 0:
      return { ...before, from, usd: isPriced ? dollars(random, before.value) : null };
    case 1:
      return report(random, from, Math.round(tenths * random.pick(FAR)));
    case 2:
      return report(random, from, undefined);
    default:
      return report(random, from, tenths + random.below(11) - 5);
  }
}

function dollars(random: SeededRandom, value: string): string {
  return String(Math.round(Number(value) * random.pick([3000, 3000, 3030])));
}

function pollAll(
  random: SeededRandom,
  times: readonly number[],
  floors: readonly MarketFloor[],
): readonly HistoricPoll[] {
  const reported = random.pick([1, 3, 6, 10]);
  const isReverse = random.below(2) === 0;
  const sales = new Map<string, HistoricSale>();
  let isFirst = true;
  return times.map((now) => {
    const answered = random.below(10) > 0;
    const known = isFirst ? floors.slice(0, CALM) : floors;
    const count = random.below(15) === 0 ? 90 : reported;
    const told = known
      .filter(({ visibleFrom }) => visibleFrom <= now)
      .slice(-count)
      .flatMap((floor) => reportsAt(random, floor, now));
    if (answered) isFirst = false;
    for (const days of ['1d', '7d']) trade(random, sales, days, now);
    return {
      ...{ now, answered },
      // The sort keeps the order of floors with the same time, because only the later line is used.
      floors: isReverse ? told.toSorted((one, other) => other.time - one.time) : told,
      sales: random.below(8) === 0 ? {} : Object.fromEntries(sales),
      otherTimer: random.below(4) === 0,
    };
  });
}

/** The newest report of a floor, sometimes after an outdated line in the same answer. */
function reportsAt(random: SeededRandom, floor: MarketFloor, now: number): HistoricFloor[] {
  const { time, agreedFrom, reports } = floor;
  const agreed = agreedFrom <= now;
  const made = reports.filter(({ from }, index) => index === 0 || from <= now);
  const lines = made.slice(random.below(4) === 0 ? 0 : -1);
  return lines.map(({ value, usd }) => ({ time, value, usd, agreed }));
}

/** Changes lowest sales: other prices, dust, other currencies, and empty windows. */
function trade(
  random: SeededRandom,
  sales: Map<string, HistoricSale>,
  days: string,
  now: number,
): void {
  if (random.below(5) > 0) return;
  const time = now - random.pick([0, 0, 1, 5, 30]);
  const sold = (value: string) => ({ time, value, traded: time });
  switch (random.below(9)) {
    case 0:
    case 1:
      sales.set(days, { time: now, value: 'no_sale', traded: null });
      break;
    case 2:
      sales.set(days, sold(random.pick(['0.05', '0.1', '0.001'])));
      break;
    case 3:
      sales.set(days, sold('other_currency'));
      break;
    default:
      sales.set(days, sold(decimal(70 + random.below(50))));
  }
}

function decimal(tenths: number): string {
  return (tenths / 10).toFixed(1);
}
