/**
 * Computes the expected alerts of rules from a file with floors. The script shares no code with the
 * product: it is naive, and written only from the definitions in the README.
 */
export type FloorLine = {
  readonly floor_price: string;
  readonly floor_price_usd: string;
  readonly timestamp: string;
};

export type ScriptedRule = {
  readonly id: string;
  readonly metric: string;
  readonly when: 'below' | 'above';
  readonly threshold: string;
  readonly recover?: string;
  readonly arm?: 'cross';
  readonly outliers?: 'take';
  /** The tokens whose gain or value the rule measures. */
  readonly held?: { readonly amount: number; readonly cost: string };
};

/** An alert: its rule, kind, data time and value. */
export type Said = readonly [string, string, string, string];

/**
 * Evaluates the rule at each time at which its metric can change. Floors until `from` were recorded
 * before the rule: only the newest is evaluated, and the others are used only in windows.
 */
export function whatRuleSays(
  rule: ScriptedRule,
  lines: readonly FloorLine[],
  from: string,
  to: string,
): readonly Said[] {
  const believed = rule.outliers === 'take' ? lines : withoutOutliers(lines);
  const floors = believed.map((line) => ({
    time: Date.parse(line.timestamp),
    value: worth(
      rule,
      decimal(rule.metric === 'floor_price_usd' ? line.floor_price_usd : line.floor_price),
    ),
  }));
  const first = floors.findLast(({ time }) => time <= Date.parse(from))?.time ?? floors[0]?.time;
  const [threshold, recover] = [decimal(rule.threshold), decimal(rule.recover ?? rule.threshold)];
  const isAtOrPast = (value: bigint, line: bigint, when: 'below' | 'above') =>
    when === 'below' ? value <= line : value >= line;
  const otherWay = rule.when === 'below' ? 'above' : 'below';

  const said: Said[] = [];
  let state: 'new' | 'ok' | 'disarmed' | 'firing' = 'new';
  /** The time at which a recovering episode ends, if its value stays recovered until then. */
  let overAt = Number.POSITIVE_INFINITY;
  const times = isAverage(rule.metric)
    ? timesOfAverage(rule, floors)
    : timesOf(rule.metric, floors);
  for (const time of times) {
    if (time < (first ?? 0) || time > Date.parse(to)) continue;
    const value = valueAt(rule.metric, floors, time);
    if (value === undefined) continue;
    const isBeyond = isAtOrPast(value, threshold, rule.when);
    const hasRecovered =
      rule.recover === undefined ? !isBeyond : isAtOrPast(value, recover, otherWay);
    const tell = (kind: string) =>
      said.push([rule.id, kind, new Date(time).toISOString(), written(value)]);
    if (state === 'firing') {
      if (!hasRecovered) {
        overAt = Number.POSITIVE_INFINITY;
        continue;
      }
      overAt = Math.min(overAt, time + keptFor(rule.metric));
      if (time < overAt) continue;
      tell('recovered');
      state = 'ok';
      overAt = Number.POSITIVE_INFINITY;
    } else if (!isBeyond) {
      state = 'ok';
    } else if (state === 'new' ? rule.arm !== 'cross' : state === 'ok') {
      // A rule does not fire only because its window moves. The rule stays ready for the next
      // price.
      if (state === 'ok' && !hasMoved(rule.metric, floors, time)) continue;
      tell('fired');
      state = 'firing';
    } else {
      state = 'disarmed';
    }
  }
  return said;
}

/**
 * A floor that differs much from the floor before it is an outlier. It is ignored if the next floor
 * is closer to the floor before the outlier than to the outlier. Otherwise it is used, but with the
 * time of the next floor.
 */
function withoutOutliers(lines: readonly FloorLine[]): readonly FloorLine[] {
  const prices = lines.map(({ floor_price }) => decimal(floor_price));
  const away = (left = 0n, right = 0n) => (left > right ? left - right : right - left);
  let isAfterOutlier = false;
  return lines.flatMap((line, index) => {
    const [before, price = 0n, next] = [prices[index - 1], prices[index], prices[index + 1]];
    const isFar =
      before !== undefined && (price * 10n <= before * 7n || before * 10n <= price * 7n);
    isAfterOutlier = isFar && !isAfterOutlier;
    if (!isAfterOutlier) return [line];
    const isGlitch = next === undefined || away(next, before) < away(next, price);
    return isGlitch ? [] : [{ ...line, timestamp: lines[index + 1]?.timestamp ?? '' }];
  });
}

/** The value or the gain of the held tokens at a floor, or the floor itself without held tokens. */
function worth({ metric, held }: ScriptedRule, floor: bigint): bigint {
  if (held === undefined) return floor;
  const [amount, cost] = [BigInt(held.amount), decimal(held.cost)];
  if (metric === 'gain_pct') return ((floor - cost) * 100n * ONE) / cost;
  return amount * (metric === 'gain' ? floor - cost : floor);
}

const HOUR = 3_600_000;

/** The time that a recovery must last: an hour for a percentage, unless the rule sets another. */
function keptFor(metric: string): number {
  return windowOf(metric) === undefined && metric !== 'gain_pct' ? 0 : HOUR;
}

function hasMoved(metric: string, floors: readonly Floor[], time: number): boolean {
  if (windowOf(metric) === undefined) return true;
  const before = floors.findLast((floor) => floor.time < time);
  return floors.some((floor) => floor.time === time && floor.value !== before?.value);
}

type Floor = { readonly time: number; readonly value: bigint };

/**
 * The time of each floor, the time at which it leaves the window, and the ends of recoveries that
 * begin at these times.
 */
function timesOf(metric: string, floors: readonly Floor[]): readonly number[] {
  const window = windowOf(metric);
  const moved = floors.flatMap(({ time }) =>
    window === undefined ? [time] : [time, time + window],
  );
  const times = moved.flatMap((time) => [time, time + keptFor(metric)]);
  return [...new Set(times)].toSorted((a, b) => a - b);
}

function isAverage(metric: string): boolean {
  return metric.startsWith('floor_vs_average');
}

/**
 * Adds the first instants at which the deviation from an average crosses a threshold. Between two
 * such times, the sum of the window is `sum + slope × t`. The value crosses `line` where
 * `100 × (floor × window − sum)` equals `line × sum`, an equation for `t`.
 */
function timesOfAverage(
  { metric, threshold, recover = threshold }: ScriptedRule,
  floors: readonly Floor[],
): readonly number[] {
  const window = BigInt(windowOf(metric) ?? 0);
  const breaks = timesOf(metric, floors);
  const crossings = breaks.flatMap((time, index) => {
    const end = breaks[index + 1];
    const now = floors.findLast((floor) => floor.time <= time)?.value;
    if (end === undefined || now === undefined) return [];
    const [sum, last] = [sumAt(metric, floors, time), sumAt(metric, floors, end - 1)];
    if (sum === undefined || last === undefined) return [];
    const length = BigInt(end - 1 - time);
    return [threshold, recover].flatMap((line) => {
      // At this sum the value equals the threshold.
      const goal = 100n * ONE * now * window;
      const divisor = decimal(line) + 100n * ONE;
      const moved = (last - sum) * divisor;
      if (moved === 0n) return [];
      const t = ((goal - sum * divisor) * length) / moved;
      return [t, t + 1n].filter((at) => at > 0n && at <= length).map((at) => time + Number(at));
    });
  });
  const found = [...breaks, ...crossings];
  const kept = found.map((time) => time + keptFor(metric));
  return [...new Set([...found, ...kept])].toSorted((a, b) => a - b);
}

/** The sum of the prices over all milliseconds of the window that ends at this time. */
function sumAt(metric: string, floors: readonly Floor[], time: number): bigint | undefined {
  const start = time - (windowOf(metric) ?? 0);
  if ((floors[0]?.time ?? time) > start) return undefined;
  return floors.reduce((sum, { time: from, value }, index) => {
    const [since, until] = [Math.max(from, start), Math.min(floors[index + 1]?.time ?? time, time)];
    return until > since ? sum + value * BigInt(until - since) : sum;
  }, 0n);
}

function valueAt(metric: string, floors: readonly Floor[], time: number): bigint | undefined {
  const held = (at: number) => floors.findLast((floor) => floor.time <= at)?.value;
  const now = held(time);
  const window = windowOf(metric);
  if (now === undefined || window === undefined) return now;
  const start = time - window;
  const before = held(start);
  if (isAverage(metric)) {
    const sum = sumAt(metric, floors, time);
    return sum === undefined ? undefined : ((now * BigInt(window) - sum) * 100n * ONE) / sum;
  }
  if (metric.startsWith('floor_change') || metric.startsWith('list_change')) {
    return before === undefined ? undefined : ((now - before) * 100n * ONE) / before;
  }
  const within = floors.filter((floor) => floor.time > start && floor.time <= time);
  const values = within.map(({ value }) => value);
  if (before !== undefined) values.push(before);
  const sorted = values.toSorted((a, b) => (a < b ? -1 : 1));
  const [lowest = now, highest = now] = [sorted.at(0), sorted.at(-1)];
  return metric.startsWith('floor_drawdown')
    ? ((highest - now) * 100n * ONE) / highest
    : ((now - lowest) * 100n * ONE) / lowest;
}

function windowOf(metric: string): number | undefined {
  const [, count, unit] = /\.(\d+)([hd])$/.exec(metric) ?? [];
  return count === undefined ? undefined : Number(count) * (unit === 'h' ? 1 : 24) * HOUR;
}

const ONE = 10n ** 18n;

function decimal(text: string): bigint {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)\.?(\d*)$/.exec(text) ?? [];
  return BigInt(`${sign}${whole}${fraction.padEnd(18, '0')}`);
}

function written(value: bigint): string {
  const digits = String(value < 0n ? -value : value).padStart(19, '0');
  const text = `${digits.slice(0, -18)}.${digits.slice(-18)}`.replace(/\.?0+$/, '');
  return value < 0n ? `-${text}` : text;
}
