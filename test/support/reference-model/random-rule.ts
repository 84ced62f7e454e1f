import type { SeededRandom } from '#test/support/seeded-random.ts';

type RandomClause = Readonly<
  Record<'metric' | 'when', string> &
    Partial<Record<'threshold' | 'low' | 'high' | 'ignoreBelow', string>>
>;

/** A rule in the form of the API, which the reference model can read, too. */
export type RandomRule = {
  readonly all?: readonly RandomClause[];
  readonly confirm?: { readonly times: number; readonly of: number };
  readonly repeat?: 'once' | { readonly reminder: string };
  readonly notifyRecovery?: boolean;
  readonly minSources?: number;
} & Partial<RandomClause> &
  Readonly<Partial<Record<'recover' | 'for' | 'keepFor' | 'arm' | 'steps' | 'outliers', string>>>;

const PRICES = ['floor_price', 'lowest_price.1d', 'lowest_price.7d'];
const WINDOWS = ['1h', '1h', '24h'];
const SHARES = ['change', 'drop', 'drawdown', 'runup'];

export function randomRule(random: SeededRandom): RandomRule {
  const sources = random.pick([
    {},
    {},
    {},
    {},
    { outliers: 'take' },
    { minSources: 2 },
    { minSources: 2, outliers: 'take' },
  ]);
  if (random.below(5) > 0) return { ...randomSingle(random), ...sources };
  const all = Array.from({ length: 2 + random.below(2) }, () =>
    banded(random, jointMetric(random)),
  );
  return { all, ...randomPatience(random), ...sources };
}

function randomSingle(random: SeededRandom): RandomRule {
  const metric = random.below(6) === 0 ? 'floor_price_usd' : jointMetric(random);
  if (random.below(8) === 0) {
    return {
      metric,
      when: 'crosses',
      threshold: line(random, metric),
      ...ignoring(random, metric),
    };
  }
  const clause = banded(random, metric);
  return { ...clause, ...randomHysteresis(random, clause), ...randomPatience(random) };
}

/**
 * A metric for `all`, without dollar prices: the reference model compares prices in one currency.
 */
function jointMetric(random: SeededRandom): string {
  switch (random.below(4)) {
    case 0:
      return 'sale_discount_pct.1d';
    case 1:
      return random.pick(PRICES);
    case 2:
      return 'floor_price';
    default:
      return `floor_${random.pick(SHARES)}_pct.${random.pick(WINDOWS)}`;
  }
}

function banded(random: SeededRandom, metric: string): RandomClause {
  const when = random.pick(['below', 'above', 'below', 'above', 'outside', 'inside']);
  const ignored = ignoring(random, metric);
  if (when === 'below' || when === 'above') {
    return { metric, when, threshold: line(random, metric), ...ignored };
  }
  const [low = '0', high = '0'] = [line(random, metric), line(random, metric)].toSorted(
    (one, other) => Number(one) - Number(other),
  );
  return { metric, when, low, high, ...ignored };
}

/** A recovery threshold on the side that does not meet the condition, and `steps`. */
function randomHysteresis(random: SeededRandom, { when, threshold, metric }: RandomClause) {
  if (threshold === undefined) return {};
  const scale = metric === 'floor_price_usd' ? 3000 : 1;
  const away = (when === 'below' ? 1 : -1) * (1 + random.below(5)) * 0.1 * scale;
  const recover = (Number(threshold) + away).toFixed(1);
  return {
    ...(random.below(2) === 0 ? { recover } : {}),
    // A percentage rarely changes by exactly 1.3 points, where rounding would decide.
    ...(random.below(2) === 0
      ? { steps: metric.includes('_pct') ? '1.3' : random.pick(['1', '2', '5']) }
      : {}),
  };
}

function randomPatience(random: SeededRandom): RandomRule {
  const of = 2 + random.below(3);
  const times = 1 + random.below(of);
  const wait = random.pick([{}, {}, { for: minutes(random) }, { confirm: { times, of } }]);
  const end = random.pick([{}, { keepFor: minutes(random) }]);
  const repeat = random.pick([
    {},
    { repeat: 'once' as const },
    { repeat: { reminder: minutes(random) } },
    { repeat: { reminder: minutes(random) } },
  ]);
  const arm = random.below(4) === 0 ? { arm: 'cross' } : {};
  const notifyRecovery = random.below(8) > 0;
  return { ...wait, ...end, ...repeat, ...arm, ...(notifyRecovery ? {} : { notifyRecovery }) };
}

function ignoring(random: SeededRandom, metric: string): Partial<RandomClause> {
  const readsSales = metric.startsWith('lowest') || metric.startsWith('sale');
  return readsSales && random.below(3) === 0 ? { ignoreBelow: random.pick(['0', '0.1', '8']) } : {};
}

/** Thresholds that prices in whole tenths around ten can equal exactly. */
function line(random: SeededRandom, metric: string): string {
  if (metric === 'floor_price_usd') return String(3000 * (9 + random.below(3)));
  if (metric.startsWith('floor_change'))
    return random.pick(['-10', '-5', '-2', '0', '2', '5', '10']);
  if (metric.includes('_pct')) return random.pick(['1', '2', '2', '5', '5', '10']);
  return (9 + random.below(21) / 10).toFixed(1);
}

function minutes(random: SeededRandom): string {
  return random.pick(['5m', '10m', '10m', '20m', '30m', '1h']);
}
