/**
 * What rules should say over a file of floors, worked out anew: naive, from the definitions in the
 * README alone, and with nothing of the product's.
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
};

/** Rule, kind, the data's own time, value. */
export type Said = readonly [string, string, string, string];

/**
 * Evaluates the rule wherever its metric can change. Floors up to `from` were there before anyone
 * watched: only the newest of them is evaluated, the others count for windows.
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
    value: decimal(rule.metric === 'floor_price_usd' ? line.floor_price_usd : line.floor_price),
  }));
  const first = floors.findLast(({ time }) => time <= Date.parse(from))?.time ?? floors[0]?.time;
  const [threshold, recover] = [decimal(rule.threshold), decimal(rule.recover ?? rule.threshold)];
  const isAtOrPast = (value: bigint, line: bigint, when: 'below' | 'above') =>
    when === 'below' ? value <= line : value >= line;
  const otherWay = rule.when === 'below' ? 'above' : 'below';

  const said: Said[] = [];
  let state: 'new' | 'ok' | 'disarmed' | 'firing' = 'new';
  /** When an episode that has recovered is over; it goes on if the value comes back before. */
  let overAt = Number.POSITIVE_INFINITY;
  for (const time of timesOf(rule.metric, floors)) {
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
      // A window that slides fires nothing; the rule stays ready for the next move of the price.
      if (state === 'ok' && !hasMoved(rule.metric, floors, time)) continue;
      tell('fired');
      state = 'firing';
    } else {
      state = 'disarmed';
    }
  }
  return said;
}

/** A floor far from the one before is none if the next is nearer to that, and else comes with the next. */
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

const HOUR = 3_600_000;

/** How long an episode must have recovered: an hour for a percentage, unless the rule says otherwise. */
function keptFor(metric: string): number {
  return windowOf(metric) === undefined ? 0 : HOUR;
}

function hasMoved(metric: string, floors: readonly Floor[], time: number): boolean {
  if (windowOf(metric) === undefined) return true;
  const before = floors.findLast((floor) => floor.time < time);
  return floors.some((floor) => floor.time === time && floor.value !== before?.value);
}

type Floor = { readonly time: number; readonly value: bigint };

/** Each floor's time, the moment at which it leaves the window's start, and an hour after each. */
function timesOf(metric: string, floors: readonly Floor[]): readonly number[] {
  const window = windowOf(metric);
  const moved = floors.flatMap(({ time }) =>
    window === undefined ? [time] : [time, time + window],
  );
  const times = moved.flatMap((time) => [time, time + keptFor(metric)]);
  return [...new Set(times)].toSorted((a, b) => a - b);
}

function valueAt(metric: string, floors: readonly Floor[], time: number): bigint | undefined {
  const held = (at: number) => floors.findLast((floor) => floor.time <= at)?.value;
  const now = held(time);
  const window = windowOf(metric);
  if (now === undefined || window === undefined) return now;
  const start = time - window;
  const before = held(start);
  if (metric.startsWith('floor_change')) {
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
